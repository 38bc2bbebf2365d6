import { expect, test } from 'vitest';
import { createApiClient } from './api-client.ts';
import { createDashboard } from './dashboard.ts';
import { UNKNOWN } from './page-state.ts';
import { createStore } from './store.ts';

const HELLO = 'event: hello\ndata: {"type":"hello","is_run":true,"at_ms":1,"up_to":"1.1"}\n\n';
const DROPPED = 'event: dropped\ndata: {"type":"dropped","messages":1,"at_ms":2}\n\n';

test('A transcript whose first page could not be read is read when all is read again', async () => {
  const streams: ReadableStreamDefaultController<Uint8Array>[] = [];
  const asked: string[] = [];
  const api = createApiClient('t', async (address) => {
    const path = typeof address === 'string' ? address : '';
    if (path.startsWith('/api/live')) {
      return new Response(new ReadableStream<Uint8Array>({ start: (stream) => void streams.push(stream) }));
    }
    if (!path.includes('/events')) return new Response('', { status: 503 });
    asked.push(path);
    if (asked.length === 1) return new Response('', { status: 503 });
    return Response.json({ id: 't', events: [], after: 7, more: false });
  });
  const store = createStore(UNKNOWN, (run) => run());
  const dashboard = createDashboard({ api, store, wait: () => new Promise(() => undefined), now: () => 0 });
  dashboard.show('t');
  const say = (text: string): void => streams.at(-1)?.enqueue(new TextEncoder().encode(text));
  await expect.poll(() => store.get().notice).toBeDefined();
  say(HELLO + DROPPED);
  await expect.poll(() => store.get().transcript?.last).toBe(7);
  expect(asked.slice(0, 3)).toEqual([FIRST, FIRST, '/api/threads/t/events?after=7&limit=200']);
  dashboard.close();
});

const FIRST = '/api/threads/t/events?limit=200';
