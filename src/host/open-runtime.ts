import { secretValues } from '../config/secret-values.ts';
import { SkeinError } from '../core/errors.ts';
import { storeOf } from '../core/store-place.ts';
import type { EventValidation } from '../core/worker-task.ts';
import type { OpenRelay } from '../core/inspection.ts';
import { createRedactor } from '../core/redactor.ts';
import { systemSurroundings } from '../core/surroundings.ts';
import type { LoadSymbolTasks } from '../core/symbol-tasks.ts';
import { checkInspectOptions } from './inspection/inspect-options.ts';
import { openRecording } from './project/open-recording.ts';
import type { Runtime } from './runtime.ts';
import { loadRuntimeConfig, type StartOptions } from './config/runtime-config.ts';
import { startStore, type StartingStore, type StoreLink } from './store-link.ts';
import { createSymbolQuestions } from './workers/symbol-questions.ts';
import type { LoadingWorkers } from './workers/loading-workers.ts';
import { startWorkerPool, type StartingPool } from './workers/worker-pool.ts';
import type { Parts, Secrets } from './connect-runtime.ts';

/**
 * Opens a runtime: config, store worker, thread workers, supervisor. Nothing is left behind when one of them refuses, but for
 * workers that have not been taken.
 */
export async function openRuntime(
  options: StartOptions,
  { count, loading }: FirstWorkers,
  { loadSymbols, openRelay }: RuntimeLayers,
): Promise<Runtime> {
  const inspect = inspectionOf(options, openRelay);
  const { config, sources, warnings, stamp, ...folders } = loadRuntimeConfig(options);
  const { workerMemoryMb: memoryMb } = config.resilience.coordination;
  // A limit is set as a worker starts, so none of these can be taken. Whoever had them load waits for their end.
  if (memoryMb !== 0) void loading.close();
  const recording = openRecording(options);
  const telemetry = await loadTelemetry(options);
  const path = storeOf(folders.projectPath).database;
  const toolModules = (options.tools ?? []).map(String);
  const starting = startStore({
    path,
    tables: config.tables,
    releaseSuspended: config.budget.releaseSuspended,
    cleanup: config.resilience.cleanup,
    persistence: config.resilience.checkpoint.persistence,
  });
  // Workers that leave a trace as they start do not for a runtime that gets nothing but a refusal.
  const waits = toolModules.length > 0 || recording?.mode === 'record';
  try {
    if (waits) await starting.opened();
    const pool = startWorkerPool({
      workers: count,
      loading,
      storePort: (left) => starting.newPort(left),
      memoryMb,
      task: {
        ...folders,
        config,
        validateEvents: validationOf(options),
        env: { ...options.env },
        scripts: options.scripts ?? {},
        toolModules,
        recording,
      },
    });
    const [store, { connectOrClose, openReader }] = await whenUp(starting, pool);
    const watched = options.watchConfig === false ? undefined : stamp;
    const hasSocket = options.controlSocket ?? true;
    const redactor = createRedactor(secretValues(config, options.env));
    const secrets: Secrets = { redactor, learn: (next) => redactor.add(secretValues(next, options.env)) };
    const surroundings = systemSurroundings;
    const read = { config, sources, warnings, stamp: watched, reader: () => openReader(path) };
    const symbols = createSymbolQuestions(loadSymbols);
    const loaded = { toolModules, hasSocket, symbols, telemetry, inspect };
    return await connectOrClose({ surroundings, secrets, ...read, store, pool, path, ...loaded });
  } catch (thrown) {
    await starting.close();
    throw thrown;
  }
}

/**
 * Store and workers take their time to load, and so does most of the host: none of them needs another for it. If several refuse,
 * the store's reason counts.
 */
async function whenUp(starting: StartingStore, pool: StartingPool): Promise<readonly [StoreLink, LoadedHost]> {
  try {
    const [store, host] = await Promise.all([starting.opened(), loadHost(), pool.ready]);
    return [store, host];
  } catch (thrown) {
    await pool.close();
    await starting.opened();
    throw thrown;
  }
}

type LoadedHost = Awaited<ReturnType<typeof loadHost>>;

async function loadHost() {
  const [{ connectOrClose }, { openReader }] = await Promise.all([
    import('./connect-runtime.ts'),
    import('../store/reader.ts'),
  ]);
  return { connectOrClose, openReader };
}

/** The workers that it begins with, which are loading already. */
export type FirstWorkers = { readonly count: number; readonly loading: LoadingWorkers };

/** What a runtime needs of layers that the host may not know; loaded when it is needed. */
export type RuntimeLayers = { readonly loadSymbols: LoadSymbolTasks; readonly openRelay: OpenRelay };

/** Checked before anything has to do with the project. */
function inspectionOf({ inspect = false }: StartOptions, openRelay: OpenRelay): Parts['inspect'] {
  if (inspect === false) return undefined;
  const options = inspect === true ? {} : inspect;
  checkInspectOptions(options);
  return { options, openRelay };
}

/** Loaded for those who ask for it. */
async function loadTelemetry({ telemetry: asked = false }: StartOptions): Promise<Parts['telemetry']> {
  if (asked === false) return undefined;
  const options = asked === true ? {} : asked;
  const { checkTelemetryOptions, startTelemetry } = await import('./telemetry/telemetry.ts');
  checkTelemetryOptions(options);
  return (host, redactor) => startTelemetry(options, { host, redactor });
}

function validationOf({ validateEvents, env }: StartOptions): EventValidation {
  const mode = validateEvents ?? (env['NODE_ENV'] === 'production' ? 'count' : 'error');
  if (mode === 'error' || mode === 'count' || mode === 'off') return mode;
  throw new SkeinError('invalid_argument', `validateEvents is "${String(mode)}"; error, count or off is expected`);
}
