import { describe, expect, test } from 'vitest';
import { createThreadBench } from '../../../test/fixtures/thread-bench.ts';
import { decodeEvents } from '../../core/events.ts';

const SAID = { text: 'hello', role: 'user' } as const;
const COST = { turns: 0, input_tokens: 0, output_tokens: 0, spend: 0 };

describe('The journal', () => {
  test('numbers stored events without gaps, over any number of steps', () => {
    const { thread, services, steps, answer } = createThreadBench();
    const ignore = (): void => undefined;
    for (const count of [2, 0, 3, 1]) {
      for (let event = 0; event < count; event++) services.journal.record(thread, 'cognition_in', SAID);
      services.journal.commit(thread, {}, ignore);
    }
    answer();
    expect(steps.map(({ firstSequence, lastSequence }) => [firstSequence, lastSequence])).toEqual([
      [1, 2],
      [0, 0],
      [3, 5],
      [6, 6],
    ]);
    const sequences = steps.flatMap(({ lines }) => decodeEvents(lines).map(({ sequence }) => sequence));
    expect(sequences).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('says that a step is over when it is on disk, not before', () => {
    const { thread, services, answer } = createThreadBench();
    const results: unknown[] = [];
    services.journal.commit(thread, { reserve: 5 }, (result) => results.push(result));
    expect(results).toEqual([]);
    answer({ type: 'refused', remaining: 3 });
    expect(results).toEqual([{ type: 'refused', remaining: 3 }]);
  });

  test('never sends a settlement without the counters that belong to it', () => {
    const { thread, services, steps } = createThreadBench();
    thread.settlement = { reserved: 7, actual: 3 };
    thread.turns = 2;
    thread.spend = 3;
    services.journal.commit(thread, {}, () => undefined);
    expect(steps[0]).toMatchObject({ settle: { actual: 3 }, cost: { turns: 2, spend: 3 } });
  });

  test('sends settlement and checkpoint with the next step, and once', () => {
    const { thread, services, steps } = createThreadBench();
    const ignore = (): void => undefined;
    thread.settlement = { reserved: 7, actual: 3 };
    thread.checkpointDue = true;
    thread.turns = 2;
    services.journal.commit(thread, { reserve: 5 }, ignore);
    services.journal.commit(thread, {}, ignore);
    expect(steps[0]).toMatchObject({ settle: { reserved: 7, actual: 3 }, checkpoint: { turn: 2 }, reserve: 5 });
    expect(steps[0]?.cost).toMatchObject({ turns: 2 });
    const given = Object.entries(steps[1] ?? {}).filter(([, value]) => value !== undefined);
    expect(given.map(([key]) => key).toSorted()).toEqual(
      ['at', 'firstSequence', 'lastSequence', 'lines', 'thread', 'type'].toSorted(),
    );
  });

  test('refuses what comes after the end', () => {
    const { thread, services, events } = createThreadBench();
    services.journal.record(thread, 'thread_completed', { cost: COST });
    thread.ended = true;
    services.journal.record(thread, 'cognition_in', SAID);
    expect(events().map(({ event_type }) => event_type)).toEqual(['thread_completed']);
    expect(thread.sequence).toBe(1);
  });

  test('says that it refuses what comes after the end, once a thread', () => {
    const { thread, services, reports } = createThreadBench();
    thread.ended = true;
    services.journal.watch('all', true);
    services.journal.record(thread, 'cognition_in', SAID);
    services.journal.record(thread, 'cognition_out_delta', { text: 'he', chunk_index: 0 });
    const message = 'Thread thread-1 has ended: nothing may follow in its log, and cognition_in was refused';
    expect(reports).toEqual([{ type: 'problem', failure: { code: 'thread_ended', message } }]);
    services.journal.record({ ...thread, ended: true }, 'cognition_in', SAID);
    expect(reports).toHaveLength(2);
  });

  test('calls the worker off when the store fails, and does not go on as if it had not', () => {
    const { thread, services, answer, failures } = createThreadBench();
    let over = 0;
    services.journal.commit(thread, {}, () => over++);
    answer({ type: 'failed', failure: { code: 'store_failed', message: 'disk full' } });
    expect([over, failures]).toEqual([0, [{ code: 'store_failed', message: 'disk full' }]]);
  });
});

describe('Events of a thread that waits', () => {
  test('go to the store at the end of the tick, without a step of their own', () => {
    const { thread, services, steps, ticks } = createThreadBench();
    services.journal.record(thread, 'cognition_in', SAID);
    services.journal.flushSoon(thread);
    services.journal.record(thread, 'cognition_in', SAID);
    services.journal.flushSoon(thread);
    expect(steps).toEqual([]);
    ticks.endAll();
    expect(steps.map(({ firstSequence, lastSequence }) => [firstSequence, lastSequence])).toEqual([[1, 2]]);
  });

  test('are not sent twice, nor after the end', () => {
    const { thread, services, steps, ticks } = createThreadBench();
    services.journal.record(thread, 'cognition_in', SAID);
    services.journal.flushSoon(thread);
    services.journal.commit(thread, {}, () => undefined);
    ticks.endAll();
    services.journal.flushSoon(thread);
    thread.ended = true;
    ticks.endAll();
    expect(steps).toHaveLength(1);
  });

  test('go to the store although those of another thread in the same tick can not be encoded', () => {
    const { thread, services, steps, ticks } = createThreadBench();
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const broken = { ...thread, checkpointDue: true, outputs: circle };
    for (const each of [broken, thread]) {
      services.journal.record(each, 'cognition_in', SAID);
      services.journal.flushSoon(each);
    }
    expect(() => ticks.endAll()).toThrow('circular');
    ticks.endAll();
    expect(steps.map(({ lines }) => lines)).toEqual([expect.stringContaining('"hello"')]);
  });
});

describe('Watching', () => {
  test('shows stored events after their commit', () => {
    const { thread, services, reports, answer } = createThreadBench();
    services.journal.watch([1], true);
    services.journal.record(thread, 'cognition_in', SAID);
    services.journal.commit(thread, {}, () => undefined);
    expect(reports).toEqual([]);
    answer();
    expect(reports).toMatchObject([{ type: 'events', thread: 1, stored: true }]);
  });

  test('that begins when events are on their way to the store hears of their commit', () => {
    const { thread, services, reports, answer } = createThreadBench();
    services.journal.record(thread, 'cognition_in', SAID);
    services.journal.commit(thread, {}, () => undefined);
    services.journal.record(thread, 'cognition_in', SAID);
    services.journal.record(thread, 'cognition_in', SAID);
    services.journal.commit(thread, {}, () => undefined);
    answer();
    services.journal.watch([1], true);
    answer();
    expect(reports).toEqual([{ type: 'stored', thread: 1, first: 2 }]);
  });

  test('says nothing of a step that has no events', () => {
    const { thread, services, reports, answer } = createThreadBench();
    services.journal.commit(thread, {}, () => undefined);
    services.journal.watch([1], true);
    services.journal.commit(thread, {}, () => undefined);
    answer();
    answer();
    expect(reports).toEqual([]);
  });

  test('that stops and begins again while a step is on its way has it told once', () => {
    const { thread, services, reports, answer } = createThreadBench();
    services.journal.watch([1], true);
    services.journal.record(thread, 'cognition_in', SAID);
    services.journal.commit(thread, {}, () => undefined);
    services.journal.watch([1], false);
    services.journal.watch([1], true);
    answer();
    expect(reports).toMatchObject([{ type: 'events', stored: true }]);
  });

  test('shows live events as they happen, without a number, and does not store them', () => {
    const { thread, services, reports, events } = createThreadBench();
    services.journal.watch('all', true);
    services.journal.record(thread, 'cognition_out_delta', { text: 'he', chunk_index: 0 });
    expect(reports).toMatchObject([{ type: 'events', thread: 1, stored: false }]);
    expect([events(), thread.sequence]).toEqual([[], 0]);
  });

  test('costs nothing when nobody watches: nothing is sent', () => {
    const { thread, services, reports, answer } = createThreadBench();
    services.journal.watch([1], true);
    services.journal.watch([1], false);
    services.journal.record(thread, 'cognition_out_delta', { text: 'he', chunk_index: 0 });
    services.journal.record(thread, 'cognition_in', SAID);
    services.journal.commit(thread, {}, () => undefined);
    answer();
    expect(reports).toEqual([]);
  });

  test('of one thread is not ended by the end of watching all', () => {
    const { thread, services } = createThreadBench();
    services.journal.watch([1], true);
    services.journal.watch('all', true);
    services.journal.watch('all', false);
    expect(services.journal.isWatched(thread)).toBe(true);
  });
});
