import { setFlagsFromString } from 'node:v8';

/*
 * What `docs/operating.md` advises for a host of many threads: a small young generation for the host, a larger one for its workers.
 * Everybody but Skein runs with what Node chooses.
 */
const ADVISED = 'skein';

/** Arguments of Node for the process of a contender. */
export function hostArguments(contender: string): readonly string[] {
  return contender === ADVISED ? ['--max-semi-space-size=2'] : [];
}

/** What workers that start from now on get; called in that process, before any. */
export function enlargeWorkers(contender: string): void {
  if (contender === ADVISED) setFlagsFromString('--max-semi-space-size=8');
}
