import { statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../core/clock.ts';
import {
  createRuntime,
  SkeinError,
  type Runtime,
  type RuntimeOptions,
  type ThreadEnding,
  type ThreadHandle,
} from '../index.ts';
import { closeOnInterrupt } from './interrupt.ts';
import type { CliIo } from './io.ts';
import { showProgress, type Show } from './show-progress.ts';

/** What to run. */
export type RunOrder = {
  /** Absolute path of the project's root. */
  readonly project: string;
  readonly directive: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly model?: string;
  readonly workers?: number;
  readonly scripts?: RuntimeOptions['scripts'];
};

/** How a run went. */
export type FinishedRun = {
  readonly threadId: string;
  readonly ending: ThreadEnding;
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
  requireFolder(order.project);
  const { project, workers, scripts } = order;
  const interrupts = closeOnInterrupt(io);
  try {
    const runtime = await createRuntime({
      project,
      env: io.env,
      ...(workers !== undefined && { workers }),
      ...(scripts && { scripts }),
    });
    interrupts.closes(runtime);
    return await runIn(runtime, order, { io, interrupted: interrupts.seen });
  } finally {
    interrupts.stop();
  }
}

type Around = { readonly io: CliIo; readonly interrupted: () => boolean };

async function runIn(runtime: Runtime, order: RunOrder, { io, interrupted }: Around): Promise<FinishedRun> {
  const show = showProgress(io, systemClock);
  const database = join(order.project, '.ai', 'threads', 'threads.db');
  try {
    runtime.on('event', show.event);
    runtime.on('problem', show.problem);
    const thread = await runtime.spawn(
      order.directive,
      order.inputs,
      order.model === undefined ? {} : { model: order.model },
    );
    const ending = await endingOf(thread, runtime);
    await runtime.close();
    const run = { threadId: thread.id, ending, database, interrupted: interrupted() };
    finish(show, run);
    return run;
  } finally {
    show.stop();
    await runtime.close();
  }
}

/** A thread that is suspended ends the run too: nobody is there to resume it. */
async function endingOf(thread: ThreadHandle, runtime: Runtime): Promise<ThreadEnding> {
  const settled = runtime.waitAll([thread.id]).then(([wait]) => wait?.status);
  const first = await Promise.race([thread.result, settled]);
  if (typeof first === 'object') return first;
  if (first === 'suspended') await runtime.close();
  return thread.result;
}

function finish(show: Show, { threadId, database }: FinishedRun): void {
  show.stop();
  show.summary({ threadId, database });
}

function requireFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new SkeinError('invalid_argument', 'The project is not an existing folder', { where: { file: path } });
}
