import { setFlagsFromString } from 'node:v8';
import type { Scenario } from './job.ts';

/*
 * What `docs/operating.md` advises for a host of many threads: a small young generation for the host, a larger one for its workers.
 * Everybody but Skein runs with what Node chooses.
 */
const ADVISED = 'skein';
const HOST = '--max-semi-space-size=2';
const WORKERS = '--max-semi-space-size=8';

/** Arguments of Node for the process of a contender. */
export function youngGenerationOf(contender: string, { isWorker = false }: Pick<Scenario, 'isWorker'>): string[] {
  if (contender !== ADVISED) return [];
  return [isWorker ? WORKERS : HOST];
}

/** Sets what workers that start from now on get; called in the contender's process before there are any. */
export function setWorkersYoungGeneration(contender: string): void {
  if (contender === ADVISED) setFlagsFromString(WORKERS);
}
