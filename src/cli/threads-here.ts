import type { OperationAnswer, OperationName, ThreadOutcome } from '../core/operations.ts';
import type { Runtime, ThreadId } from '../index.ts';
import type { CliIo } from './io.ts';
import { inRuntimeHere } from './runtime-here.ts';
import type { ThreadsOrder } from './threads-arguments.ts';

/** What was done, and how the thread stands by then that it was done to. */
export type DoneHere = OperationAnswer<OperationName> & { readonly outcome?: ThreadOutcome };

/**
 * Carries an operation out in a runtime of this process, since no other holds the project, and shows on stderr what happens.
 * A thread that runs by it is waited for until it has ended or is suspended again.
 */
export async function carryOutHere({ name, input, ...here }: ThreadsOrder, io: CliIo): Promise<DoneHere> {
  return inRuntimeHere(here, io, async (runtime) => {
    const answer = await runtime.orchestrator.call(name, input);
    return GOES_ON.has(name) && answer.success ? settled(answer, runtime) : answer;
  });
}

/** Operations by which a thread runs. */
const GOES_ON: ReadonlySet<OperationName> = new Set(['resume_thread', 'fork_thread']);

async function settled(answer: OperationAnswer<OperationName>, runtime: Runtime): Promise<DoneHere> {
  // The answers of these operations name their thread, by its id.
  const { thread_id: id } = answer as { readonly thread_id: ThreadId };
  await runtime.waitAll([id]);
  const aggregated = await runtime.orchestrator.call('aggregate_results', { thread_ids: [id] });
  const [outcome] = 'results' in aggregated ? aggregated.results : [];
  return { ...answer, ...(outcome && { outcome }) };
}
