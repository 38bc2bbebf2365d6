import { systemClock } from '../core/clock.ts';
import type { OperationAnswer, OperationName, ThreadOutcome } from '../core/operations.ts';
import { createRuntime, type Runtime, type ThreadId } from '../index.ts';
import { closeOnInterrupt } from './interrupt.ts';
import type { CliIo } from './io.ts';
import { showProgress } from './show-progress.ts';
import type { ThreadsOrder } from './threads-arguments.ts';

/** What was done, and how the thread stands by then that it was done to. */
export type DoneHere = OperationAnswer<OperationName> & { readonly outcome?: ThreadOutcome };

/**
 * Carries an operation out in a runtime of this process, since no other holds the project, and shows on stderr what happens.
 * A thread that goes on by it is waited for until it has ended or is suspended again.
 */
export async function carryOutHere(
  { name, input, project, workers, scripts }: ThreadsOrder,
  io: CliIo,
): Promise<DoneHere> {
  const show = showProgress(io, systemClock);
  const interrupts = closeOnInterrupt(io, (line) => show.say(line));
  try {
    await using runtime = await createRuntime({
      project,
      env: io.env,
      scripts,
      ...(workers !== undefined && { workers }),
    });
    interrupts.closes(runtime);
    runtime.on<'event'>('event', (event) => show.event(event));
    runtime.on<'problem'>('problem', (failure) => show.problem(failure));
    const answer = await runtime.orchestrator.call(name, input);
    return name === 'resume_thread' && answer.success ? await settled(answer, runtime) : answer;
  } finally {
    show.stop();
    interrupts.stop();
  }
}

async function settled(answer: OperationAnswer<OperationName>, runtime: Runtime): Promise<DoneHere> {
  // The answer of `resume_thread` names its thread, by its id.
  const { thread_id: id } = answer as { readonly thread_id: ThreadId };
  await runtime.waitAll([id]);
  const aggregated = await runtime.orchestrator.call('aggregate_results', { thread_ids: [id] });
  const [outcome] = 'results' in aggregated ? aggregated.results : [];
  return { ...answer, ...(outcome && { outcome }) };
}
