import { OPERATIONS, type OperationInput, type OperationName } from '../../core/operations.ts';

/** How long an answer that needs no waiting may take, in milliseconds. */
export const DEADLINE_MS = 30_000;

/** How long an answer may take that changes nothing; a worker that does not answer is left out of it after five seconds. */
const READ_MS = 8_000;

/** How long threads may take to end, or to come to their next step: they may wait for others, or for their model. */
export const SLOW_MS = 600_000;

/** What is answered when a thread has done its part. */
const SLOW: ReadonlySet<OperationName> = new Set(['cancel_thread', 'kill_thread', 'handoff_thread']);

/** Longest time that an operation may take by what it was asked, and a bit; `waitSeconds`: of a wait that names none. */
export function longestMs(name: OperationName, input: unknown, waitSeconds: number): number {
  if (SLOW.has(name)) return SLOW_MS;
  if (OPERATIONS[name].changes) return DEADLINE_MS;
  // The orchestrator sends what belongs to the name.
  const { timeout = waitSeconds } = input as OperationInput<'wait_threads'>;
  if (name === 'wait_threads') return timeout * 1000 + DEADLINE_MS;
  const { wait = 0 } = input as Partial<OperationInput<'read_events'>>;
  return wait * 1000 + READ_MS;
}
