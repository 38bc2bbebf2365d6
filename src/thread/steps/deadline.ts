import type { Services } from '../services/services.ts';
import type { Thread } from '../thread.ts';

/** `duration_seconds` also ends a call that hangs: its timer runs from the start, suspensions left out. */
export function startDeadline(thread: Thread, { clock }: Pick<Services, 'clock'>): void {
  const max = thread.limits.durationSeconds;
  const now = clock.now();
  begunBy(thread, now);
  thread.deadline = clock.setTimer(Math.max(0, deadlineOf(thread) - now), () => {
    // The clock may have been moved back; the time is over all the same.
    const current = Math.max(max, (clock.now() - thread.startedAt) / 1000);
    thread.send({ type: 'LIMIT_HIT', hit: { code: 'duration_seconds_exceeded', current, max } });
  });
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

/** No thread has started in the future: where the clock was moved back, nobody knows what has passed, and it counts from now on. */
export function begunBy(thread: Thread, now: number): void {
  thread.startedAt = Math.min(thread.startedAt, now);
}
