import { describe, expect, test } from 'vitest';
import { createHostBench } from '../../../test/fixtures/host-bench.ts';
import { encodeEvent } from '../../core/events.ts';
import { SILENCE } from '../../core/words.ts';
import { createLiveWords, HEARING_MS } from './live-words.ts';

const WHOLE = encodeEvent({
  sequence: 3,
  event_type: 'cognition_out',
  time: 0,
  payload: { text: 'one two', model: 'm' },
});

function piece(text: string, index: number): string {
  return encodeEvent({
    sequence: 0,
    event_type: 'cognition_out_delta',
    time: 0,
    payload: { text, chunk_index: index },
  });
}

/** A running thread whose model may say something, and whether its worker was told to send it. */
function speaking() {
  const bench = createHostBench();
  const entry = bench.spawn();
  const { feed, clock } = bench.host;
  const words = createLiveWords({ feed, clock, find: (id) => (id === entry.lineage.threadId ? entry : undefined) });
  return {
    bench,
    entry,
    say: (...lines: string[]) => lines.forEach((line) => feed.deliver(entry, line)),
    ask: (known: object = {}) => words.read({ thread_id: entry.lineage.threadId, ...known }),
    other: () => words.read({ thread_id: 'thread-0' }),
    watched: () => bench.sent.flatMap((command) => (command.type === 'watch' ? [command.on] : [])),
  };
}

describe('Words of a running thread', () => {
  test('are told piece by piece to whoever says what he knows', () => {
    const { ask, say } = speaking();
    ask();
    say(piece('one ', 0));
    const first = ask();
    expect(first).toMatchObject({ from: 0, text: 'one ' });
    say(piece('two', 1));
    expect(ask({ answer: first.answer, after: 4 })).toEqual({ answer: first.answer, from: 4, text: 'two' });
    expect(ask()).toMatchObject({ from: 0, text: 'one two' });
  });

  test.each([
    ['the answer is in the log', [WHOLE], ''],
    ['the call is made again', [piece('On', 0)], 'On'],
  ])('begin again when %s', (_, lines, text) => {
    const { ask, say } = speaking();
    ask();
    say(piece('one ', 0));
    const { answer } = ask();
    say(...lines);
    const next = ask({ answer, after: 4 });
    expect(next).toMatchObject({ from: 0, text });
    expect(next.answer).not.toBe(answer);
  });

  test('are not asked for from the worker before somebody asks, nor when nobody has asked for a while', () => {
    const { ask, watched, bench } = speaking();
    expect(watched()).toEqual([]);
    ask();
    bench.clock.advance(HEARING_MS - 1);
    ask();
    bench.clock.advance(HEARING_MS - 1);
    expect(watched()).toEqual([true]);
    bench.clock.advance(1);
    expect(watched()).toEqual([true, false]);
    expect(bench.clock.pending()).toBe(0);
  });

  test.each<[string, (it: ReturnType<typeof speaking>) => void]>([
    ['the thread ends', ({ bench, entry }) => bench.end(entry)],
    ['the runtime stops', ({ bench }) => bench.host.feed.close()],
  ])('leave no timer behind when %s', (_, happens) => {
    const [asked, unasked] = [speaking(), speaking()];
    asked.ask();
    for (const it of [asked, unasked]) happens(it);
    expect(asked.bench.clock.pending()).toBe(unasked.bench.clock.pending());
  });

  test('are none of a thread that there is not, or that is in no worker', () => {
    const { ask, other, bench, entry } = speaking();
    expect(other()).toEqual(SILENCE);
    bench.end(entry);
    expect(ask()).toEqual(SILENCE);
  });

  test('are refused to a question that is none', () => {
    expect(() => speaking().ask({ after: -1 })).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });
});
