import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from './clock.ts';

const DAY = 24 * 60 * 60 * 1000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test.each([
  ['a moment', 1],
  ['longer than `setTimeout` can wait', 30 * DAY],
  ['several times as long', 100 * DAY],
])('A timer fires once, when its time has come: %s', (_name, delayMs) => {
  let fired = 0;
  systemClock.setTimer(delayMs, () => void fired++);
  vi.advanceTimersByTime(delayMs - 1);
  expect(fired).toBe(0);
  vi.advanceTimersByTime(1);
  expect(fired).toBe(1);
  vi.advanceTimersByTime(delayMs);
  expect([fired, vi.getTimerCount()]).toEqual([1, 0]);
});

test.each([0, 26])('A timer of 30 days that is cleared after %i days never fires', (days) => {
  let fired = 0;
  const timer = systemClock.setTimer(30 * DAY, () => void fired++);
  vi.advanceTimersByTime(days * DAY);
  systemClock.clearTimer(timer);
  vi.advanceTimersByTime(30 * DAY);
  expect([fired, vi.getTimerCount()]).toEqual([0, 0]);
});
