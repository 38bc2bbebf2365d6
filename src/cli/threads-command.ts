import type { OperationAnswer, OperationName } from '../core/operations.ts';
import { OPERATIONS } from '../core/operations.ts';
import { connectProject } from '../index.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { isRefusal, refusalError } from './granted.ts';
import type { CliIo } from './io.ts';
import { printableJson } from './printable.ts';
import { isWell, type SettledOutcome } from './stored-outcome.ts';
import { explain } from './start.ts';
import { readThreadsOrder, type ThreadsOrder } from './threads-arguments.ts';
import { carryOutHere } from './threads-here.ts';
import { answerText } from './threads-text.ts';
import { fittedLines } from './write-out.ts';

/**
 * `skein threads OPERATION`: an operation on the threads of a project, through the runtime that holds it. Where there is
 * none, what is stored is read, and what changes something is done in a runtime of its own.
 */
export async function threadsCommand(args: readonly string[], io: CliIo): Promise<ExitCode> {
  return operate(readThreadsOrder(args, io.cwd), io);
}

/** Carries an operation out and prints its answer. */
export async function operate(order: ThreadsOrder, io: CliIo): Promise<ExitCode> {
  const answer = await carryOut(order, io);
  return print(answer, order, io);
}

async function carryOut(order: ThreadsOrder, io: CliIo): Promise<OperationAnswer<OperationName>> {
  const { name, input, project } = order;
  using connection = await connectProject({ project, env: io.env });
  if (connection.isRun || !OPERATIONS[name].changes) return await connection.orchestrator.call(name, input);
  // The database is the runtime's from here on.
  connection.close();
  return await carryOutHere(order, io);
}

function print(answer: OperationAnswer<OperationName>, { name, json }: ThreadsOrder, io: CliIo): ExitCode {
  if (json) io.stdout.write(`${printableJson(answer)}\n`);
  if (isRefusal(answer)) {
    const { line, code } = explain(refusalError(answer));
    if (!json) io.stderr.write(`${line}\n`);
    return code;
  }
  const text = json ? '' : answerText(name, answer);
  io.stdout.write(LISTS.has(name) ? fittedLines(text, io.stdout) : text);
  return answer.success && isWell(settledOf(answer)) ? EXIT.completed : EXIT.failed;
}

/** Only what was resumed here has an outcome. */
function settledOf(answer: object): SettledOutcome {
  return answer;
}

/** Operations that give a thread a line. */
const LISTS: ReadonlySet<OperationName> = new Set(['list_threads', 'list_children', 'get_chain']);
