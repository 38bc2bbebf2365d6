import { expect, test } from 'vitest';
import { decodeEvents } from '../../src/core/events.ts';
import type { WorkerReport } from '../../src/core/protocol.ts';
import { createBackOffs } from '../../src/host/workers/back-offs.ts';
import type { Caller } from '../../src/thread/services/provider-gate.ts';
import { createProviderGates, type ProviderGates } from '../../src/thread/services/provider-gates.ts';
import { createHandClock } from '../conformance/hand-clock.ts';
import { admit, END, scratchStore, step } from '../conformance/store-fixture.ts';
import { call, NEVER } from '../fixtures/scene.ts';
import { createWorkerBench, type WorkerBench } from '../fixtures/worker-bench.ts';

const HOUR = 3_600_000;
const NOON = 1_800_000_000_000;

test.each([
  ['back', -5 * HOUR],
  ['forward', 5 * HOUR],
])('a clock that is moved %s by hours changes neither order nor money, and keeps nothing from going on', (_, by) => {
  let now = NOON;
  using it = scratchStore({ now: () => now });
  it.store.commit([admit(1, { at: now }), step(1, 1, { at: now, reserve: 100 })]);
  now += by;
  it.store.commit([admit(2, { at: now }), step(1, 2, { at: now, settle: { reserved: 100, actual: 7 } })]);
  it.reopen();
  const ends = [step(1, 4, { at: now, status: END }), step(2, 2, { at: now, status: END })];
  expect(it.store.commit(ends)).toEqual([true, true]);
  expect(it.reader.threads({}).map(({ thread }) => thread)).toEqual([2, 1]);
  const log = decodeEvents(it.reader.events(1).join(''));
  expect(log.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  expect(it.reader.ledger(1)).toMatchObject({ actual: 7, reserved: 0 });
});

const DURATION = 60_000;
const SLOW = 10;

/** A worker whose threads may run for a minute. */
function minuteBench(): WorkerBench {
  const parts = {
    talks: { says: [{ ...call('nothing'), delay_ms: SLOW }, NEVER] },
    hangs: { says: [NEVER] },
  };
  return createWorkerBench(parts, { limits: { defaults: { duration_seconds: DURATION / 1000 } } });
}

function pass(bench: WorkerBench, ms: number): void {
  bench.clock.advance(ms);
  bench.commit();
}

/** How far over its limit a thread was when it stopped; nothing if it has not. */
function stopped(bench: WorkerBench, thread: number): unknown[] {
  return bench.log(thread).flatMap(({ event_type, payload }) => (event_type === 'approval_requested' ? payload : []));
}

const over = (seconds: number): unknown => ({
  limit_code: 'duration_seconds_exceeded',
  current_value: seconds,
  current_max: DURATION / 1000,
});

test('a clock that is moved forward counts as time that passed: a thread stops before its next call', () => {
  using bench = minuteBench();
  const thread = bench.start('talks');
  bench.clock.set(5 * HOUR);
  expect(stopped(bench, thread)).toEqual([]);
  pass(bench, SLOW);
  expect(stopped(bench, thread)).toMatchObject([over((5 * HOUR + SLOW) / 1000)]);
});

test('a clock that is moved back gives no thread more time than it may have, before a suspension and after it', () => {
  using bench = minuteBench();
  const [stays, rests] = [bench.start('hangs'), bench.start('hangs')];
  pass(bench, SLOW);
  bench.clock.set(-5 * HOUR);
  bench.host.receive({ type: 'suspend', thread: rests, reason: 'user', now: true });
  bench.commit();
  bench.resume(rests);
  bench.commit();
  pass(bench, DURATION - SLOW - 1);
  expect([stays, rests].map((thread) => stopped(bench, thread))).toEqual([[], []]);
  pass(bench, 1);
  expect(stopped(bench, stays)).toMatchObject([over(DURATION / 1000)]);
  pass(bench, SLOW);
  expect(stopped(bench, rests)).toMatchObject([over(DURATION / 1000)]);
});

test('a clock that is moved back by hours keeps no provider shut: a refusal closes it for as long as the policy says', () => {
  const clock = createHandClock();
  const workers: ProviderGates[] = [];
  const backOffs = createBackOffs((command) => {
    if (command.type === 'backOff') for (const gates of workers) gates.learn(command);
  });
  const report = (told: WorkerReport): void => {
    if (told.type === 'providerRefused') backOffs.refused(told);
    if (told.type === 'providerAnswered') backOffs.answered(told);
  };
  const caller = (): Caller => ({ providerRound: undefined });
  const [first, second] = [createProviderGates({ clock, report }), createProviderGates({ clock, report })];
  workers.push(first, second);
  const refuse = (): unknown => first.refused('p', caller(), { delayMs: () => 10_000, askedMs: undefined });
  const mayStart = (): boolean[] => workers.map((gates) => gates.mayStart('p', caller()));

  expect([refuse(), mayStart()]).toEqual([10_000, [false, false]]);
  clock.advance(10_000);
  const answered = caller();
  expect(first.mayStart('p', answered)).toBe(true);
  first.answered('p', answered);
  clock.advance(10_000);
  clock.set(-5 * HOUR);
  expect([refuse(), mayStart()]).toEqual([10_000, [false, false]]);
  clock.set(-5 * HOUR);
  clock.advance(9_999);
  expect(mayStart()).toEqual([false, false]);
  clock.advance(1);
  expect(mayStart()).toEqual([true, true]);
});
