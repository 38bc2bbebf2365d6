import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { systemClock } from '../core/clock.ts';
import { doneWithin } from '../core/done-within.ts';
import { SkeinError } from '../core/errors.ts';
import type { SymbolTasks } from '../core/symbol-tasks.ts';

/** How long a task may take before its worker counts as stuck, in ms. */
const MAX_TASK_MS = 120_000;

/** How long an idle worker keeps its parsers. */
const IDLE_MS = 30_000;

type Pool = Piscina<string, string>;

/**
 * Runs tasks in one worker thread, started when it is first needed, one after the other: one that fails takes no other with it.
 * After a task that failed or took too long the worker is replaced: WebAssembly that was aborted once is not to be trusted.
 */
export function createSymbolPool(maxTaskMs = MAX_TASK_MS): SymbolTasks {
  let pool: Pool | undefined;
  let isClosed = false;
  let last: Promise<unknown> = Promise.resolve();
  const runNow = async (task: string): Promise<string> => {
    if (isClosed) throw new SkeinError('runtime_closed', 'The symbol worker has stopped');
    const current = (pool ??= startPool());
    try {
      return await withDeadline(current.run(task), maxTaskMs);
    } catch (error) {
      pool = undefined;
      await current.destroy();
      throw error;
    }
  };
  return {
    run(task) {
      const done = last.then(() => runNow(task));
      // Whoever asked hears of it; the next one only waits for its end.
      last = done.catch(() => undefined);
      return done;
    },
    close: async () => {
      isClosed = true;
      await pool?.destroy();
      pool = undefined;
    },
  };
}

function startPool(): Pool {
  const pool: Pool = new Piscina({
    // Piscina wants a path, not a URL.
    filename: fileURLToPath(import.meta.resolve('#workers/symbols.worker.js')),
    name: 'run',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    concurrentTasksPerWorker: 1,
    atomics: 'disabled',
  });
  // What a worker dies of rejects its task; without a listener it would end the process as well.
  pool.on('error', () => undefined);
  return pool;
}

async function withDeadline<Value>(work: Promise<Value>, maxMs: number): Promise<Value> {
  if (await doneWithin(maxMs, work, systemClock)) return work;
  throw new SkeinError('deadline_exceeded', 'The symbol worker does not answer');
}
