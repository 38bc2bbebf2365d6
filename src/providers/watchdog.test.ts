import { expect, test } from 'vitest';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import { startWatchdog, type TimeoutKind, type Timeouts, type Watchdog } from './watchdog.ts';

const TIMEOUTS: Timeouts = { firstByteMs: 100, idleMs: 50, totalMs: 220 };

function watched(timeouts: Timeouts = TIMEOUTS) {
  const clock = createHandClock();
  const expired: [TimeoutKind, number][] = [];
  const watchdog = startWatchdog(clock, timeouts, (kind) => expired.push([kind, clock.stopwatch()]));
  return { clock, expired, watchdog };
}

test.each<[string, number[], TimeoutKind, number]>([
  ['nothing arrives', [], 'first_byte', 100],
  ['only a first piece arrives', [10], 'idle', 60],
  ['a late first piece arrives', [99], 'idle', 149],
  ['pieces arrive until they stop', [10, 50, 90], 'idle', 140],
  ['pieces never stop', [40, 80, 120, 160, 200], 'total', 220],
])('%s', (_title, arrivals, kind, at) => {
  const { clock, expired, watchdog } = watched();
  for (const arrival of arrivals) {
    clock.advance(arrival - clock.now());
    watchdog.alive();
  }
  clock.advance(1000);
  expect(expired).toEqual([[kind, at]]);
  expect(clock.pending()).toBe(0);
});

test('an idle limit longer than the one for the first byte counts from the last piece', () => {
  const { clock, expired, watchdog } = watched({ firstByteMs: 10, idleMs: 100, totalMs: 1000 });
  clock.advance(5);
  watchdog.alive();
  clock.advance(99);
  expect(expired).toEqual([]);
  clock.advance(1);
  expect(expired).toEqual([['idle', 105]]);
});

test('while the model may think in silence, the longer limit holds from piece to piece', () => {
  const { clock, expired, watchdog } = watched();
  clock.advance(10);
  watchdog.alive(true);
  clock.advance(60);
  watchdog.alive(true);
  clock.advance(99);
  expect(expired).toEqual([]);
  clock.advance(1);
  expect(expired).toEqual([['idle', 170]]);
});

test('the idle limit holds again as soon as it speaks', () => {
  const { clock, expired, watchdog } = watched();
  watchdog.alive(true);
  clock.advance(10);
  watchdog.alive();
  clock.advance(1000);
  expect(expired).toEqual([['idle', 60]]);
});

test('an idle limit longer than the one for the first byte holds in silence, too', () => {
  const { clock, expired, watchdog } = watched({ firstByteMs: 10, idleMs: 100, totalMs: 1000 });
  watchdog.alive(true);
  clock.advance(1000);
  expect(expired).toEqual([['idle', 100]]);
});

test('one timer, however many pieces arrive', () => {
  const { clock, watchdog } = watched();
  for (let piece = 0; piece < 100; piece += 1) watchdog.alive();
  expect(clock.pending()).toBe(1);
});

test.each<[string, number, number[], TimeoutKind, number]>([
  ['back', -5, [], 'first_byte', 100],
  ['back', -5, [10], 'idle', 60],
  ['forward', 5, [], 'first_byte', 100],
  ['forward', 5, [10], 'idle', 60],
])('a clock that is moved %s by hours (%i) neither ends a call nor keeps one: %j', (_, hours, arrivals, kind, at) => {
  const { clock, expired, watchdog } = watched();
  for (const arrival of arrivals) {
    clock.advance(arrival);
    watchdog.alive();
  }
  clock.set(hours * 3_600_000);
  clock.advance(1_000);
  expect(expired).toEqual([[kind, at]]);
});

test.each<[string, (watchdog: Watchdog) => void]>([
  ['nothing more arrives', () => undefined],
  ['its end is told again and again', (watchdog) => watchdog.ending()],
  ['pieces arrive', (watchdog) => watchdog.alive()],
])('an answer that has come has a second to end: %s', (_title, goOn) => {
  const { clock, expired, watchdog } = watched({ firstByteMs: 60_000, idleMs: 40_000, totalMs: 600_000 });
  watchdog.alive(true);
  watchdog.ending();
  for (let step = 0; step < 10; step += 1) {
    clock.advance(300);
    goOn(watchdog);
  }
  expect(expired).toEqual([['idle', 1000]]);
});

test('nothing expires once it is stopped', () => {
  const { clock, expired, watchdog } = watched();
  watchdog.stop();
  watchdog.alive();
  clock.advance(1000);
  expect(expired).toEqual([]);
});

test('limits of zero expire with the next timer, not while it starts', () => {
  const { clock, expired } = watched({ firstByteMs: 0, idleMs: 0, totalMs: 0 });
  expect(expired).toEqual([]);
  clock.advance(0);
  expect(expired).toEqual([['first_byte', 0]]);
});
