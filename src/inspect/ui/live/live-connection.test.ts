import { describe, expect, test } from 'vitest';
import type { LiveMessage } from '../../api.ts';
import { createLiveConnection, type ConnectionState, type Interest, type LiveRequest } from './live-connection.ts';

const hello: LiveMessage = { type: 'hello', is_run: true, at_ms: 1, up_to: '1.1.0' };
const roots: Interest = { levels: ['root'], thread: undefined };

/** A connection whose server and clock are driven by hand. */
function start() {
  const heard: { message: LiveMessage; missed: boolean }[] = [];
  const begun: (readonly string[])[] = [];
  const states: ConnectionState[] = [];
  const streams: { ask: LiveRequest; server: ReadableStreamDefaultController<Uint8Array>; signal: AbortSignal }[] = [];
  const pauses: { ms: number; over: () => void }[] = [];
  const refused: LiveRequest[] = [];
  let refusing = false;
  const live = createLiveConnection({
    connect: async (ask, signal) => {
      if (refusing) {
        refused.push(ask);
        return { ok: false, failure: { code: 'unreachable', message: 'gone' } };
      }
      const { promise, resolve } = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
      const value = new ReadableStream<Uint8Array>({ start: resolve });
      streams.push({ ask, server: await promise, signal });
      return { ok: true, value };
    },
    heard: (message, missed) => heard.push({ message, missed }),
    begun: (levels) => begun.push(levels),
    changed: (state) => states.push(state),
    wait: (ms) => new Promise((over) => pauses.push({ ms, over })),
    now: () => 0,
  });
  const say = (at: number, message: LiveMessage): void =>
    streams[at]?.server.enqueue(
      new TextEncoder().encode(`event: ${message.type}\ndata: ${JSON.stringify(message)}\n\n`),
    );
  const settled = (): Promise<void> => new Promise((done) => setTimeout(done, 0));
  return {
    live,
    heard,
    begun,
    states,
    streams,
    pauses,
    refused,
    say,
    settled,
    refuse: (on: boolean) => (refusing = on),
  };
}

describe('The live connection', () => {
  test('says at its first hello that all is to be read', async () => {
    const { live, heard, states, say, settled } = start();
    live.follow(roots);
    await settled();
    say(0, hello);
    await settled();
    expect(heard).toEqual([{ message: hello, missed: true }]);
    expect(states.map(({ kind }) => kind)).toEqual(['connecting', 'open']);
  });

  test('changes over to another interest without a gap', async () => {
    const { live, heard, begun, states, streams, say, settled } = start();
    live.follow(roots);
    await settled();
    say(0, hello);
    await settled();
    live.follow({ levels: ['root', 'a'], thread: undefined });
    await settled();
    expect(streams[0]?.signal.aborted).toBe(false);
    say(1, hello);
    await settled();
    expect(streams[0]?.signal.aborted).toBe(true);
    expect(heard.map(({ missed }) => missed)).toEqual([true, false]);
    expect(begun).toEqual([['a']]);
    expect(streams.map(({ ask }) => ask.from)).toEqual([undefined, '1.1.0']);
    expect(states.at(-1)?.kind).toBe('open');
  });

  test('hears nothing more of a stream that was replaced, also where it was read already', async () => {
    const { live, heard, say, settled } = start();
    live.follow(roots);
    await settled();
    say(0, hello);
    await settled();
    live.follow({ levels: ['root', 'a'], thread: undefined });
    await settled();
    say(1, hello);
    say(0, { type: 'dropped', messages: 3, at_ms: 2 });
    await settled();
    expect(heard.map(({ message }) => message.type)).toEqual(['hello', 'hello']);
  });

  test('stays with the stream it has where a request is replaced whose hello was read already', async () => {
    const { live, heard, streams, say, settled } = start();
    live.follow(roots);
    await settled();
    say(0, hello);
    await settled();
    live.follow({ levels: ['root', 'a'], thread: undefined });
    await settled();
    say(1, hello);
    live.follow({ levels: ['root', 'b'], thread: undefined });
    await settled();
    expect(heard).toHaveLength(1);
    expect(streams.map(({ signal }) => signal.aborted)).toEqual([false, true, false]);
  });

  test('asks once for the same interest', async () => {
    const { live, streams, settled } = start();
    live.follow(roots);
    live.follow({ ...roots });
    await settled();
    expect(streams).toHaveLength(1);
  });

  test('comes back after it was lost, each time later, and then all is to be read', async () => {
    const { live, heard, states, streams, pauses, say, settled, refuse } = start();
    live.follow(roots);
    await settled();
    say(0, hello);
    await settled();
    refuse(true);
    streams[0]?.server.close();
    await settled();
    expect(states.at(-1)).toMatchObject({ kind: 'lost', failure: { code: 'closed' } });
    pauses[0]?.over();
    await settled();
    refuse(false);
    pauses[1]?.over();
    await settled();
    say(1, hello);
    await settled();
    expect(pauses.map(({ ms }) => ms)).toEqual([500, 1_000]);
    expect(heard.at(-1)).toEqual({ message: hello, missed: true });
  });

  test('passes on that messages were dropped', async () => {
    const { live, heard, say, settled } = start();
    live.follow(roots);
    await settled();
    say(0, hello);
    say(0, { type: 'dropped', messages: 3, at_ms: 2 });
    await settled();
    expect(heard.at(-1)?.missed).toBe(true);
  });

  test('ends where nothing is followed, and then all is to be read', async () => {
    const { live, heard, streams, pauses, say, settled } = start();
    live.follow(roots);
    await settled();
    say(0, hello);
    await settled();
    live.follow(undefined);
    await settled();
    expect(streams.map(({ signal }) => signal.aborted)).toEqual([true]);
    streams[0]?.server.close();
    await settled();
    expect(pauses).toEqual([]);
    live.follow(roots);
    await settled();
    say(1, hello);
    await settled();
    expect(streams[1]?.ask).toEqual({ ...roots, from: undefined });
    expect(heard.map(({ missed }) => missed)).toEqual([true, true]);
  });

  test('does not come back while nothing is followed', async () => {
    const { live, streams, pauses, settled, refuse, refused } = start();
    refuse(true);
    live.follow(roots);
    await settled();
    live.follow(undefined);
    pauses[0]?.over();
    await settled();
    expect([streams.length, refused.length]).toEqual([0, 1]);
  });
});
