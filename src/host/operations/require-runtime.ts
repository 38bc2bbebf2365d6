import { SkeinError } from '../../core/errors.ts';
import type { RunningThreads, ThreadSources } from './operation.ts';

/** What carries out changes. @throws SkeinError `runtime_closed` where there is only a stored database */
export function requireRuntime({ runtime }: ThreadSources): RunningThreads {
  if (runtime) return runtime;
  throw noRuntime();
}

/** Why nothing is changed where there is only a stored database. */
export function noRuntime(): SkeinError {
  return new SkeinError('runtime_closed', 'No runtime is there for this project: it can be read, and nothing changed');
}
