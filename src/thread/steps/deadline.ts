import type { LimitHit } from '../../core/limits.ts';
import type { Services } from '../services/services.ts';
import type { Thread } from '../thread.ts';

/** `duration_seconds` also ends a call that hangs: its timer runs from the start, suspensions left out. */
export function startDeadline(thread: Thread, { clock }: Pick<Services, 'clock'>): void {
  const now = clock.now();
  begunBy(thread, now);
  thread.deadline = clock.setTimer(Math.max(0, deadlineOf(thread) - now), () => {
    thread.send(timeOver(thread, clock.now()));
  });
}

/** A thread's time is over at this moment, or would be if it waited until then. */
export function timeOver(
  { startedAt, limits }: Thread,
  at: number,
): { readonly type: 'LIMIT_HIT'; readonly hit: LimitHit } {
  const { durationSeconds: max } = limits;
  // The clock may have been moved back; the time is over all the same.
  const current = Math.max(max, (at - startedAt) / 1000);
  return { type: 'LIMIT_HIT', hit: { code: 'duration_seconds_exceeded', current, max } };
}

/** From here on it may take as long as it takes. */
export function stopDeadline(thread: Thread, { clock }: Pick<Services, 'clock'>): void {
  if (thread.deadline !== undefined) clock.clearTimer(thread.deadline);
  thread.deadline = undefined;
}

/** When a thread's `duration_seconds` are over, milliseconds since the epoch. */
export function deadlineOf({ startedAt, limits }: Thread): number {
  return startedAt + limits.durationSeconds * 1000;
}

/** Whether a wait would take all that is left of a thread's time; one that is not held to it has enough. */
export function outlasts(thread: Thread, now: number, waitMs: number | undefined): boolean {
  return waitMs !== undefined && thread.deadline !== undefined && now + waitMs >= deadlineOf(thread);
}

/** No thread has started in the future: where the clock was moved back, nobody knows what has passed, and it counts from now on. */
export function begunBy(thread: Thread, now: number): void {
  thread.startedAt = Math.min(thread.startedAt, now);
}
