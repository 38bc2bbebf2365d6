import { join } from 'node:path';
import type { InspectOptions, Runtime, RuntimeOptions, ThreadEnding, ThreadHandle } from '../index.ts';
import type { CliIo } from './io.ts';
import { inRuntimeHere, type RuntimeHere } from './runtime-here.ts';
import { showInspector } from './show-inspector.ts';
import type { Show } from './show-progress.ts';

/** What to run. */
export type RunOrder = {
  /** Absolute path of the project's root. */
  readonly project: string;
  readonly directive: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly model?: string;
  readonly workers?: number;
  readonly scripts?: RuntimeOptions['scripts'];
  readonly record?: string;
  readonly replay?: string;
  readonly inspect?: InspectOptions;
  readonly agent?: NonNullable<RuntimeHere['agent']>;
};

/** How a run went. */
export type FinishedRun = {
  readonly threadId: string;
  readonly ending: ThreadEnding;
  /** Why it is suspended, if it is. */
  readonly suspended: string;
  /** The database with the thread's whole log. */
  readonly database: string;
  readonly interrupted: boolean;
};

/**
 * Runs a directive in a runtime of its own until its thread has ended or is suspended, and shows on stderr what
 * happens. Ctrl-C closes the runtime, a second one ends the process.
 *
 * @throws SkeinError whatever is refused before the thread has started; nothing was shown then
 */
export async function runDirective(order: RunOrder, io: CliIo): Promise<FinishedRun> {
  return inRuntimeHere(order, io, async (runtime, { show, interrupts }) => {
    const run = await runIn(runtime, order, { show, io });
    return { ...run, interrupted: interrupts.seen() };
  });
}

type Watching = { readonly show: Show; readonly io: CliIo };

async function runIn(
  runtime: Runtime,
  order: RunOrder,
  { show, io }: Watching,
): Promise<Omit<FinishedRun, 'interrupted'>> {
  const reasons = new Map<string, string>();
  runtime.on('thread_suspended', ({ thread_id: id, payload: { suspend_reason: reason, message } }) => {
    reasons.set(id, message === undefined ? reason : `${reason}: ${message}`);
  });
  const { directive, inputs, model } = order;
  const thread = await runtime.spawn(directive, inputs, model === undefined ? {} : { model });
  // Whoever comes late is told of all that is there; of a run that was refused there is nothing to see.
  using _page = showInspector(runtime, { show, io });
  const ending = await endingOf(thread, runtime);
  // What the thread has left running gets its time to end, and its last events arrive.
  await runtime.close();
  show.stop();
  const run = {
    threadId: thread.id,
    ending,
    suspended: reasons.get(thread.id) ?? ending.error?.message ?? '',
    database: join(order.project, '.ai', 'threads', 'threads.db'),
  };
  show.summary(run);
  return run;
}

/** A thread that is suspended ends the run too: nobody is there to resume it. */
async function endingOf(thread: ThreadHandle, runtime: Runtime): Promise<ThreadEnding> {
  const settled = runtime.waitAll([thread.id]).then(([wait]) => wait?.status);
  const first = await Promise.race([thread.result, settled]);
  if (typeof first === 'object') return first;
  if (first === 'suspended') await runtime.close();
  return thread.result;
}
