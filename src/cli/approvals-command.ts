import type { ApprovalPayload } from '../core/approval-operations.ts';
import { connectProject, SkeinError, type Approvals } from '../index.ts';
import {
  denyOrder,
  DENY_OPTIONS,
  grantOrder,
  GRANT_OPTIONS,
  listOrder,
  LIST_OPTIONS,
  type ApprovalsOrder,
  type ListOrder,
  type SettleOrder,
} from './approvals-arguments.ts';
import { settleHere, type SettledHere } from './approvals-here.ts';
import { approvalsText, settledText } from './approvals-text.ts';
import { defineCommand, type Command } from './command.ts';
import { connectToAct } from './connect-to-act.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { RefusedError } from './operation-answer.ts';
import type { CliIo } from './io.ts';
import { optionsAgain } from './options-again.ts';
import { printableJson } from './printable.ts';
import { isWell } from './stored-outcome.ts';
import { outcomeLine } from './threads-text.ts';

const NOTES =
  'Where no runtime holds the project, the thread goes on in one that is started here, and how it ends is the exit code.';

/** `skein approvals list`: what threads ask of people. */
export const approvalsList: Command = defineCommand({
  name: 'approvals list',
  takes: '',
  summary: 'what suspended threads ask of people',
  options: LIST_OPTIONS,
  examples: [['skein approvals list', 'what waits for an answer, and how to give it']],
  run: (given, io) => list(listOrder(given, io.cwd), io),
});

/** `skein approvals grant ID`: the thread goes on. */
export const approvalsGrant: Command = defineCommand({
  name: 'approvals grant',
  takes: 'ID',
  summary: 'grant what a thread asks for, with new maximums: it goes on',
  options: GRANT_OPTIONS,
  examples: [['skein approvals grant approval-0198… --spend 2', 'let it spend 2 USD in all']],
  notes: NOTES,
  run: (given, io) => settle(grantOrder(given, settingOf(io)), io),
});

/** `skein approvals deny ID`: the thread ends with an error. */
export const approvalsDeny: Command = defineCommand({
  name: 'approvals deny',
  takes: 'ID',
  summary: 'deny what a thread asks for: it ends with an error',
  options: DENY_OPTIONS,
  examples: [["skein approvals deny approval-0198… --message 'too dear'", 'say why']],
  notes: NOTES,
  run: (given, io) => settle(denyOrder(given, settingOf(io)), io),
});

function settingOf({ cwd, env }: CliIo): { readonly cwd: string; readonly user: string } {
  return { cwd, user: env['USER'] ?? env['LOGNAME'] ?? env['USERNAME'] ?? 'cli' };
}

/**
 * Through the runtime that holds the project; where there is none, what is stored is read. One more than is shown is asked for,
 * to know whether there are more.
 */
async function list({ project, filter, limit, json }: ListOrder, io: CliIo): Promise<ExitCode> {
  using connection = await connectProject({ project, env: io.env });
  const found = await understood(connection.approvals.call('list_approvals', { ...filter, limit: limit + 1 }));
  const approvals = found.approvals.slice(0, limit);
  const more = found.approvals.length > limit;
  io.stdout.write(
    json
      ? `${printableJson({ approvals, more })}\n`
      : approvalsText(approvals, { more, look: optionsAgain({ project }, io.cwd).look }),
  );
  return EXIT.completed;
}

/** Where no runtime holds the project, in one of its own, which waits until the thread has settled. */
async function settle(order: SettleOrder, io: CliIo): Promise<ExitCode> {
  using connection = await connectToAct(order.project, io);
  if (!connection) return printSettled(await settleHere(order, answer, io), order, io);
  if (connection.isRun) return printSettled({ approval: await answer(order, connection.approvals) }, order, io);
  // No runtime is started for a request that is not there.
  await understood(connection.approvals.get(order.answer.input.approval_id));
  // The database is the runtime's from here on.
  connection.close();
  return printSettled(await settleHere(order, answer, io), order, io);
}

function answer({ answer: { kind, input } }: SettleOrder, approvals: Approvals): Promise<ApprovalPayload> {
  return understood(approvals.call(`${kind}_approval`, input));
}

/** What an operation gave: what it finds wrong with its input was no fault of the command line. @throws SkeinError */
async function understood<Result>(answer: Promise<Result>): Promise<Result> {
  try {
    return await answer;
  } catch (thrown) {
    if (!(thrown instanceof SkeinError) || thrown.code !== 'invalid_argument') throw thrown;
    throw new RefusedError({ success: false, code: thrown.code, error: thrown.message });
  }
}

/** Of a thread that went on here, it counts how it ended. */
function printSettled({ approval, ...settled }: SettledHere, { json }: ApprovalsOrder, io: CliIo): ExitCode {
  const { outcome } = settled;
  if (json) io.stdout.write(`${printableJson({ ...approval, ...settled })}\n`);
  else {
    io.stdout.write(settledText(approval));
    if (outcome) io.stdout.write(`${outcomeLine(outcome)}\n`);
  }
  return isWell(settled) ? EXIT.completed : EXIT.failed;
}
