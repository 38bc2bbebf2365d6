import type { OperationAnswer, OperationName } from '../core/operations.ts';
import type { ThreadId } from '../index.ts';
import type { CliIo } from './io.ts';
import { meetSuspended } from './meet-suspended.ts';
import { inRuntimeHere } from './runtime-here.ts';
import { outcomeBefore, storedOutcome, type SettledOutcome } from './stored-outcome.ts';
import type { ThreadsOrder } from './threads-arguments.ts';
import { untilTreeRests } from './whole-tree.ts';

/** What was done, and how the thread stands by then that it was done to. */
export type DoneHere = OperationAnswer<OperationName> & SettledOutcome;

/**
 * Carries an operation out in a runtime of this process, since no other holds the project, and shows on stderr what happens.
 * A thread that runs by it is waited for until it and all below it have ended or are suspended again.
 */
export async function carryOutHere({ name, input, ...here }: ThreadsOrder, io: CliIo): Promise<DoneHere> {
  const { answer, ...left } = await inRuntimeHere(here, io, async (runtime, { interrupts, show }) => {
    meetSuspended(runtime, show);
    const given = await runtime.orchestrator.call(name, input);
    if (!GOES_ON.has(name) || !given.success) return { answer: given };
    const id = threadOf(given);
    await untilTreeRests(runtime, { top: id, say: (line) => show.say(line) });
    return { answer: given, before: await outcomeBefore(id, runtime), interrupted: interrupts.seen() };
  });
  if (left.interrupted === undefined) return answer;
  const settled = await storedOutcome(threadOf(answer), { ...here, ...left }, io);
  return { ...answer, ...settled, ...('status' in answer && { status: settled.outcome?.status ?? answer.status }) };
}

/** Operations by which a thread runs. */
const GOES_ON: ReadonlySet<OperationName> = new Set(['resume_thread', 'fork_thread', 'handoff_thread']);

/** Their answers name it by its id; whoever waits for that goes after successors. */
function threadOf(answer: OperationAnswer<OperationName>): ThreadId {
  return (answer as { readonly thread_id: ThreadId }).thread_id;
}
