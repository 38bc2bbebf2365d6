import type { Runtime } from '../index.ts';
import type { Show } from './show-progress.ts';

/** Names the suspended threads of a runtime that has just started: one of them goes on, or ends. */
export function meetSuspended(runtime: Runtime, show: Show): void {
  for (const suspended of runtime.list({ status: ['suspended'], limit: MOST_MET })) show.meet(suspended);
}

const MOST_MET = 1_000;
