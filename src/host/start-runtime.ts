import { availableParallelism } from 'node:os';
import { SkeinError } from '../core/errors.ts';
import type { StartOptions } from './config/runtime-config.ts';
import { refusedArgument } from './handle/argument-types.ts';
import type { RuntimeLayers } from './open-runtime.ts';
import type { Runtime } from './runtime.ts';
import { loadWorkers } from './workers/loading-workers.ts';

/** Each worker has a heap, a connection and a process for tools of its own: with a slip of the keyboard there is no memory left. */
const MOST_WORKERS = 256;

/**
 * Starts a runtime. What takes longest is loading code, in its workers and here: they begin with it before anything else, config
 * among it, is known or even loaded.
 */
export async function startRuntime(options: StartOptions, layers: RuntimeLayers): Promise<Runtime> {
  const count = workerCount(options);
  const loading = loadWorkers(count);
  try {
    const { openRuntime } = await import('./open-runtime.ts');
    return await openRuntime(options, { count, loading }, layers);
  } finally {
    await loading.close();
  }
}

function workerCount({ workers: asked, replay }: StartOptions): number {
  if (replay !== undefined) return oneWorker(asked);
  if (asked === undefined) return Math.min(MOST_WORKERS, Math.max(1, availableParallelism() - 1));
  if (Number.isInteger(asked) && asked >= 1 && asked <= MOST_WORKERS) return asked;
  throw refusedArgument('workers', `a whole number from 1 to ${MOST_WORKERS}`, asked);
}

/** Of equal requests, the one that is asked first gets the first answer. */
function oneWorker(asked = 1): 1 {
  if (asked === 1) return asked;
  throw new SkeinError('invalid_argument', `A replay runs in one worker, not in ${asked}`);
}
