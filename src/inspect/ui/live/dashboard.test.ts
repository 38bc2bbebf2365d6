import { expect, test } from 'vitest';
import { logEvent } from '../fixtures/log-event.ts';
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
  const page = Object.assign(new EventTarget(), { hidden: false });
  const dashboard = createDashboard({ api, store, page, wait: () => new Promise(() => undefined), now: () => 0 });
  dashboard.show('t');
  const say = (text: string): void => streams.at(-1)?.enqueue(new TextEncoder().encode(text));
  await expect.poll(() => store.get().notice).toBeDefined();
  say(HELLO + DROPPED);
  await expect.poll(() => store.get().transcript?.last).toBe(7);
  expect(asked.slice(0, 3)).toEqual([FIRST, FIRST, '/api/threads/t/events?after=7&limit=200']);
  dashboard.close();
});

test('A page that is hidden follows nothing, and reads all again when it is seen', async () => {
  const follows: { readonly signal: AbortSignal | null | undefined; readonly say: (text: string) => void }[] = [];
  let read = 0;
  const api = createApiClient('t', async (address, init) => {
    if (address === '/api/project') read++;
    if (typeof address !== 'string' || !address.startsWith('/api/live')) return new Response('', { status: 503 });
    const { promise, resolve } = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
    const body = new ReadableStream<Uint8Array>({ start: resolve });
    const stream = await promise;
    follows.push({ signal: init?.signal, say: (text) => stream.enqueue(new TextEncoder().encode(text)) });
    return new Response(body);
  });
  const page = Object.assign(new EventTarget(), { hidden: false });
  const store = createStore(UNKNOWN, (run) => run());
  const dashboard = createDashboard({ api, store, page, wait: () => new Promise(() => undefined), now: () => 0 });
  const show = (isShown: boolean): void => {
    page.hidden = !isShown;
    page.dispatchEvent(new Event('visibilitychange'));
  };
  await expect.poll(() => follows.length).toBe(1);
  follows[0]?.say(HELLO);
  await expect.poll(() => read).toBe(1);
  show(false);
  expect(follows[0]?.signal?.aborted).toBe(true);
  store.set((state) => ({ ...state, version: state.version + 1 }));
  show(true);
  await expect.poll(() => follows.length).toBe(2);
  follows[1]?.say(HELLO);
  await expect.poll(() => read).toBe(2);
  expect(store.get().connection.kind).toBe('open');
  dashboard.close();
});

test.each([
  [true, null],
  [false, '7'],
])(
  'The log of a thread is followed from what is there, or from its end where more follows (%s)',
  async (more, after) => {
    const follows: (string | null)[] = [];
    const api = createApiClient('t', async (address) => {
      const { pathname, searchParams } = new URL(typeof address === 'string' ? address : '', 'http://localhost');
      if (pathname.endsWith('/events'))
        return Response.json({ id: 't', events: [logEvent(7, 'warning')], after: 7, more });
      if (pathname === '/api/live' && searchParams.get('thread') !== null) follows.push(searchParams.get('after'));
      return new Response('', { status: 503 });
    });
    const store = createStore(UNKNOWN, (run) => run());
    const page = Object.assign(new EventTarget(), { hidden: false });
    const wait = (): Promise<void> => new Promise((over) => setTimeout(over, 0));
    const dashboard = createDashboard({ api, store, page, wait, now: () => 0 });
    dashboard.show('t', 7);
    await expect.poll(() => store.get().transcript?.opening).toBe('done');
    follows.length = 0;
    await expect.poll(() => follows[0]).toBe(after);
    dashboard.close();
  },
);

const FIRST = '/api/threads/t/events?limit=200';
