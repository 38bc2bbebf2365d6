import { answerOrNone } from '../core/answer-or-none.ts';
import type { SkeinErrorCode } from '../core/errors.ts';
import type { ThreadOutcome } from '../core/operations.ts';
import { connectProject, type Orchestrator, type Runtime } from '../index.ts';
import { howToGoOn } from './how-to-go-on.ts';
import type { CliIo } from './io.ts';
import type { GivenHere } from './options-again.ts';

/** How a thread stands, and whether that is because somebody interrupted the command. */
export type SettledOutcome = { readonly outcome?: ThreadOutcome; readonly interrupted?: true };

/** What a command knows of a thread whose runtime it has closed. */
export type LeftThread = GivenHere & {
  readonly interrupted: boolean;
  /** How it stood before that. */
  readonly before: ThreadOutcome | undefined;
};

const CLOSED: ReadonlySet<SkeinErrorCode> = new Set(['runtime_closed']);

/** How a thread stands in a runtime; undefined if that is being closed: it may stand otherwise once it is. */
export async function outcomeBefore(id: string, { orchestrator }: Runtime): Promise<ThreadOutcome | undefined> {
  return await answerOrNone(outcomeOf(id, orchestrator), CLOSED);
}

/**
 * How a thread has come out of the runtime that a command had for itself, once that is closed; stderr says how to go on. If
 * what is stored can't be read, which stderr says as well, it is how it stood before: its configuration may have been broken since.
 */
export async function storedOutcome(
  id: string,
  left: LeftThread,
  { env, cwd, stderr }: CliIo,
): Promise<SettledOutcome> {
  const { interrupted, before } = left;
  const advice = await howToGoOn(id, left, { env, cwd });
  if (advice !== undefined) stderr.write(`${advice}\n`);
  try {
    return await readOutcome(id, left, env);
  } catch {
    // `howToGoOn` has asked the same database, and said why it can't be read.
    return { ...(before && { outcome: before }), ...(interrupted && { interrupted }) };
  }
}

async function readOutcome(
  id: string,
  { project, interrupted }: LeftThread,
  env: CliIo['env'],
): Promise<SettledOutcome> {
  using connection = await connectProject({ project, env });
  const outcome = await outcomeOf(id, connection.orchestrator);
  const stands = await connection.orchestrator.call('get_status', { thread_id: outcome?.continued_as ?? id });
  const isCutOff = interrupted && 'suspend_reason' in stands && stands.suspend_reason === 'shutdown';
  return { ...(outcome && { outcome }), ...(isCutOff && { interrupted: true }) };
}

/** Its own, or that of the last one that took over from it. */
async function outcomeOf(id: string, orchestrator: Orchestrator): Promise<ThreadOutcome | undefined> {
  const aggregated = await orchestrator.call('aggregate_results', { thread_ids: [id] });
  return 'results' in aggregated ? aggregated.results[0] : undefined;
}

/** Whether all went as it was asked for: an interrupted thread that is suspended goes on another time. */
export function isWell({ outcome, interrupted }: SettledOutcome): boolean {
  if (!outcome) return true;
  return outcome.success || interrupted === true;
}
