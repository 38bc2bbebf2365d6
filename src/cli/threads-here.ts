import type { OperationAnswer, OperationName } from '../core/operations.ts';
import type { ThreadId } from '../index.ts';
import type { CliIo } from './io.ts';
import { inRuntimeHere } from './runtime-here.ts';
import { storedOutcome, type SettledOutcome } from './stored-outcome.ts';
import type { ThreadsOrder } from './threads-arguments.ts';

/** What was done, and how the thread stands by then that it was done to. */
export type DoneHere = OperationAnswer<OperationName> & SettledOutcome;

/**
 * Carries an operation out in a runtime of this process, since no other holds the project, and shows on stderr what happens.
 * A thread that goes on by it is waited for until it has ended or is suspended again.
 */
export async function carryOutHere({ name, input, ...here }: ThreadsOrder, io: CliIo): Promise<DoneHere> {
  const { answer, interrupted } = await inRuntimeHere(here, io, async (runtime, { interrupts }) => {
    const given = await runtime.orchestrator.call(name, input);
    if (name === 'resume_thread' && given.success) await runtime.waitAll([resumed(given)]);
    return { answer: given, interrupted: interrupts.seen() };
  });
  if (name !== 'resume_thread' || !answer.success) return answer;
  return { ...answer, ...(await storedOutcome(resumed(answer), { project: here.project, interrupted }, io.env)) };
}

/** The answer of `resume_thread` names its thread, by its id. */
function resumed(answer: OperationAnswer<OperationName>): ThreadId {
  return (answer as { readonly thread_id: ThreadId }).thread_id;
}
