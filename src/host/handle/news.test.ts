import { describe, expect, test } from 'vitest';
import { createHostBench } from '../../../test/fixtures/host-bench.ts';
import { encodeEvent } from '../../core/events.ts';
import { createNews } from './news.ts';

const STORED = encodeEvent({ sequence: 1, event_type: 'checkpoint_saved', time: 0, payload: { turn: 1 } });
const LIVE = encodeEvent({
  sequence: 0,
  event_type: 'cognition_out_delta',
  time: 0,
  payload: { text: 'a', chunk_index: 0 },
});

/** A running thread, somebody who waits for news of it, and whether they have come. */
function waiting(signal?: AbortSignal) {
  const bench = createHostBench();
  const entry = bench.spawn();
  const news = createNews(entry, bench.host);
  let heard = false;
  const over = news.within(1_000, signal).then(() => (heard = true));
  const isHeard = async (): Promise<boolean> => {
    await new Promise(setImmediate);
    return heard;
  };
  return { bench, entry, news, over, isHeard };
}

describe('News of a thread', () => {
  test.each<[string, (it: ReturnType<typeof waiting>) => void]>([
    ['an event is stored', ({ bench, entry }) => bench.host.feed.deliver(entry, STORED)],
    ['it ends', ({ bench, entry }) => bench.end(entry)],
    ['the runtime stops', ({ bench }) => bench.host.feed.close()],
    ['the time is over', ({ bench }) => bench.clock.advance(1_000)],
  ])('come when %s', async (_, happens) => {
    const it = waiting();
    it.bench.host.feed.deliver(it.entry, LIVE);
    it.bench.clock.advance(999);
    expect(await it.isHeard()).toBe(false);
    happens(it);
    await it.over;
    expect(await it.isHeard()).toBe(true);
  });

  test.each([[true], [false]])('are given up with those who wait; already gone: %s', async (isGone) => {
    const signal = AbortSignal.abort();
    const leaving = new AbortController();
    const it = waiting(isGone ? signal : leaving.signal);
    leaving.abort();
    await it.over;
    expect(it.bench.clock.pending()).toBe(0);
  });

  test('cost nothing once nobody listens', () => {
    const { bench, news } = waiting();
    news.stop();
    const watched = bench.sent.flatMap((command) => (command.type === 'watch' ? [command.on] : []));
    expect(watched).toEqual([true, false]);
  });
});
