import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadConfig } from '../src/config/load.ts';
import type { Clock } from '../src/core/clock.ts';
import { encodeEvent } from '../src/core/events.ts';
import type { StepOp } from '../src/core/store.ts';
import { restingThreads } from '../src/host/operations/resting-threads.ts';
import { createProjectWindow } from '../src/host/window/project-window.ts';
import type { TimelineSpan } from '../src/inspect/api.ts';
import { readTimeline, type TimelineSources } from '../src/inspect/server/timeline.ts';
import { createTotals } from '../src/inspect/server/totals.ts';
import { openWindow } from '../src/store/window.ts';
import { admit, idOf, lines, scratchStore, step, type ScratchStore } from './conformance/store-fixture.ts';

/** A window of a store, with totals, by this clock. */
function sourcesOf(
  { reader, path }: ScratchStore,
  clock: Pick<Clock, 'now' | 'stopwatch'>,
  isRun = true,
): TimelineSources & Disposable {
  const { config } = loadConfig({ systemDir: fileURLToPath(new URL('../config', import.meta.url)) });
  const threads = restingThreads({ reader, config, isRun: () => isRun });
  const opened = openWindow(path);
  const window = createProjectWindow({ reader, window: opened, threads, config, clock });
  return { window, totals: createTotals(window, clock), clock, [Symbol.dispose]: () => opened.close() };
}

test('What a timeline leaves out of a fan-out that grows is as many as there are, however old the totals', async () => {
  using project = scratchStore();
  const admitChildren = (from: number, to: number): void => {
    const numbers = Array.from({ length: to - from + 1 }, (_, at) => from + at + 1);
    project.store.commit(numbers.map((thread) => admit(thread, { parent: 1, ceiling: 1 })));
  };
  project.store.commit([admit(1, { ceiling: 1_000_000 })]);
  admitChildren(1, 20);
  using sources = sourcesOf(project, { now: () => 0, stopwatch: () => 0 });
  // A moment ago, as far as this clock goes.
  expect(await sources.totals.of({ parent: idOf(1) })).toMatchObject({ threads: 20 });
  admitChildren(21, 200);
  const { rows, summaries } = await readTimeline({ root: idOf(1), limit: 200 }, sources);
  expect(rows).toHaveLength(101);
  expect(summaries).toMatchObject([{ parent: idOf(1), threads: 100 }]);
});

test.each([
  ['the clock is moved back by an hour', { setMs: -3_600_000, tookMs: 0 }, true],
  ['the clock is moved forward by an hour', { setMs: 3_600_000, tookMs: 0 }, true],
  ['it takes long', { setMs: 0, tookMs: 1_000 }, false],
  ['it takes long and the clock is moved back', { setMs: -3_600_000, tookMs: 1_000 }, false],
])('Logs are read for a timeline for so long by the stopwatch: %s', async (_, { setMs, tookMs }, isRead) => {
  using project = scratchStore();
  project.store.commit([admit(1, { ceiling: 1_000_000 }), admit(2, { parent: 1, ceiling: 1 })]);
  for (const thread of [1, 2]) {
    const line = encodeEvent({ sequence: 1, event_type: 'thread_started', time: 1, payload: START });
    project.store.commit([step(thread, 1, { lines: line })]);
  }
  let [now, stopwatch] = [10_000_000, 0];
  using sources = sourcesOf(project, { now: () => (now += setMs), stopwatch: () => (stopwatch += tookMs) });
  const { rows } = await readTimeline({ root: idOf(1), limit: 200 }, sources);
  const { spans, unread } = rows[1] ?? {};
  // Of a log that is not read nothing is said.
  expect([spans?.at(-1)?.state, unread]).toEqual(isRead ? ['running', undefined] : [undefined, true]);
});

test('The log of one thread that is long leaves time for those of the others', async () => {
  using project = scratchStore();
  project.store.commit([admit(1, { ceiling: 1_000_000 }), admit(2, { parent: 1, ceiling: 1 })]);
  // More than what is looked through in one go, and something after it.
  project.store.commit([step(1, 1, { lines: lines(1, 300, 'heron '.repeat(6_000)), lastSequence: 300 })]);
  project.store.commit([step(1, 301), step(2, 1)]);
  let stopwatch = 0;
  using sources = sourcesOf(project, { now: () => NOW, stopwatch: () => (stopwatch += 200) });
  const { rows } = await readTimeline({ root: idOf(1), limit: 200 }, sources);
  expect(rows.map(({ unread }) => unread)).toEqual([true, undefined]);
});

const NOW = 10_000;

/** A thread that came at 1,000, whose log has these events. */
function logged(project: ScratchStore, events: readonly LoggedEvent[], status: StepOp['status']): void {
  const told = events.map((event, at) => encodeEvent({ ...event, sequence: at + 1 })).join('');
  project.store.commit([admit(1, { at: 1_000 })]);
  project.store.commit([
    step(1, 1, { at: 5_000, lines: told, lastSequence: events.length, ...(status && { status }) }),
  ]);
}

type LoggedEvent = Omit<Parameters<typeof encodeEvent>[0], 'sequence'>;

const started = (time: number): LoggedEvent => ({ event_type: 'thread_started', time, payload: START });
const suspendedAt = (time: number): LoggedEvent => ({
  event_type: 'thread_suspended',
  time,
  payload: { suspend_reason: 'user' },
});
const resumedAt = (time: number): LoggedEvent => ({ event_type: 'thread_resumed', time, payload: {} });
const START = { directive: 'demo', model: 'scripted:x', limits: {} };

test.each<[string, { isRun: boolean; events: LoggedEvent[]; status: StepOp['status'] }, string[]]>([
  [
    'that its runtime left running has been suspended since it was heard of last',
    { isRun: false, events: [started(2_000)], status: { to: 'running' } },
    ['queued 1000-2000', 'running 2000-5000', 'suspended 5000-10000'],
  ],
  [
    'that its runtime left queued has been suspended since it was heard of last',
    { isRun: false, events: [], status: undefined },
    ['suspended 1000-10000'],
  ],
  [
    'that runs goes on until now',
    { isRun: true, events: [started(2_000)], status: { to: 'running' } },
    ['queued 1000-2000', 'running 2000-10000'],
  ],
  [
    'that was suspended is so since that was logged',
    { isRun: true, events: [started(2_000), suspendedAt(3_000)], status: { to: 'suspended', reason: 'user' } },
    ['queued 1000-2000', 'running 2000-3000', 'suspended 3000-10000'],
  ],
])('In a timeline a thread %s', async (_, { isRun, events, status }, expected) => {
  using project = scratchStore();
  if (events.length > 0) logged(project, events, status);
  else project.store.commit([admit(1, { at: 1_000 })]);
  using sources = sourcesOf(project, { now: () => NOW, stopwatch: () => 0 }, isRun);
  const { rows } = await readTimeline({ root: idOf(1), limit: 200 }, sources);
  expect(rows[0]?.spans.map(asText)).toEqual(expected);
});

test.each([
  ['all that', 200, 'running 1201-10000', undefined],
  ['a thousand times, and that this is not all', 1_200, 'running 1999-2000', true],
])('Of a thread that was suspended again and again, a timeline tells %s', async (_, count, last, unread) => {
  using project = scratchStore();
  const events = Array.from({ length: count }, (__, at) => (at % 2 === 0 ? resumedAt : suspendedAt)(1_001 + at));
  logged(project, [...events, resumedAt(1_001 + count)], { to: 'running' });
  using sources = sourcesOf(project, { now: () => NOW, stopwatch: () => 0 });
  const { rows, to_ms: to } = await readTimeline({ root: idOf(1), limit: 200 }, sources);
  expect([rows[0]?.spans.map(asText).at(-1), rows[0]?.unread, to]).toEqual([last, unread, NOW]);
});

function asText({ state, from_ms: from, to_ms: to }: TimelineSpan): string {
  return `${state} ${from}-${to}`;
}
