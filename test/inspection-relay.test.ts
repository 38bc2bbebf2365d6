import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../src/core/clock.ts';
import type { InspectionRelay } from '../src/core/inspection.ts';
import { MAX_WAITING_BYTES } from '../src/inspect/relay/relay-viewer.ts';
import { startRelay } from '../src/inspect/relay/start-relay.ts';
import { receive } from './fixtures/inspector-receiver.ts';
import { heldByKernel } from './fixtures/tcp-queues.ts';

/** How often the relay has asked for everything, said that nobody is left, and told of a problem. */
const heard = { tellAll: 0, left: 0, problem: 0 };

function open(stately = false, port = 0): Promise<InspectionRelay> {
  return startRelay({
    port,
    stately,
    clock: systemClock,
    tellAll: () => heard.tellAll++,
    left: () => heard.left++,
    problem: () => heard.problem++,
  });
}

type Headers = Readonly<Record<string, string>>;

/** Asks for a WebSocket. */
async function ask(url: URL, path: string, headers: Headers = {}) {
  const socket = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };
  const outgoing = request({
    host: '127.0.0.1',
    port: url.port,
    path,
    headers: { ...socket, ...headers },
  });
  return answerTo(outgoing);
}

function askPage(url: URL, path: string, headers: Headers = {}) {
  return answerTo(request({ host: '127.0.0.1', port: url.port, path, headers }));
}

async function answerTo(outgoing: ClientRequest) {
  outgoing.end();
  const [incoming] = (await Promise.race([once(outgoing, 'response'), once(outgoing, 'upgrade')])) as [IncomingMessage];
  const { statusCode: status, headers: answered } = incoming;
  incoming.destroy();
  outgoing.destroy();
  return { status, headers: answered };
}

describe('The relay', () => {
  let relay: InspectionRelay;
  let url: URL;
  beforeAll(async () => {
    relay = await open();
    url = new URL(relay.url);
  });
  afterAll(() => relay.close());

  test('listens on this machine alone, with a token of 32 bytes', () => {
    expect(relay.url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}$/);
    expect(relay.page).toBeUndefined();
  });

  test.each<[string, (own: URL) => readonly [path: string, headers: Headers], number]>([
    ['with the token', ({ search }) => [`/${search}`, {}], 101],
    ['from a page of its own', ({ search, host }) => [`/${search}`, { origin: `http://${host}` }], 101],
    ['without a token', () => ['/', {}], 404],
    ['with an empty token', () => ['/?token=', {}], 403],
    ['with a wrong token', ({ search }) => [`/${search}x`, {}], 403],
    ['at another path', ({ search }) => [`/other${search}`, {}], 404],
    ['with a wrong host', ({ search }) => [`/${search}`, { host: 'evil.example' }], 403],
    ['with a host of another port', ({ search }) => [`/${search}`, { host: '127.0.0.1:1' }], 403],
    ['from a foreign page', ({ search }) => [`/${search}`, { origin: 'https://evil.example' }], 403],
    ["from Stately's page itself", ({ search }) => [`/${search}`, { origin: 'https://stately.ai' }], 403],
    ['from a page without an origin', ({ search }) => [`/${search}`, { origin: 'null' }], 403],
  ])('answers whoever wants to look on %s', async (_, asks, status) => {
    expect(await ask(url, ...asks(url))).toMatchObject({ status });
  });

  test('has no page unless it was asked for', async () => {
    const paths = ['/', '/page.js', `/${url.search}`].map((path) => askPage(url, path));
    expect((await Promise.all(paths)).map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  test('closes though somebody it has refused keeps a connection open', async () => {
    const own = await open();
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(own.url).port), allowHalfOpen: true });
    socket.resume().write('GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    await once(socket, 'end');
    await expect(own.close()).resolves.toBeUndefined();
    socket.destroy();
  });

  test('is refused a port that is taken', async () => {
    await expect(open(false, Number(url.port))).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

describe('A relay with the page', () => {
  let relay: InspectionRelay;
  beforeAll(async () => (relay = await open(true)));
  afterAll(() => relay.close());

  test('has the token in its fragment, which no request holds', () => {
    expect(relay.page).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/);
  });

  test.each([
    ['/', 200],
    ['/page.js', 200],
    ['/page.css', 200],
    ['/constructor', 404],
    ['/../package.json', 404],
  ])('answers %s with %i', async (path, status) => {
    expect(await askPage(new URL(relay.url), path)).toMatchObject({ status });
  });

  test('allows nothing in its page but its own files and the frame of stately.ai', async () => {
    const { headers } = await askPage(new URL(relay.url), '/');
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'none'", 'frame-src https://stately.ai', "frame-ancestors 'none'"]),
    );
    expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' });
  });

  test.each([
    ['a wrong host', { host: 'evil.example' }],
    ['a foreign origin', { origin: 'https://stately.ai' }],
  ])('refuses its page to %s', async (_, headers) => {
    expect(await askPage(new URL(relay.url), '/', headers)).toMatchObject({ status: 403 });
  });
});

describe('Of viewers, the relay', () => {
  let relay: InspectionRelay;
  beforeEach(async () => {
    Object.assign(heard, { tellAll: 0, left: 0, problem: 0 });
    relay = await open();
  });
  afterEach(() => relay.close());

  test('has all told when one comes, and says when the last one has left', async () => {
    const [one, other] = [await lookOn(relay), await lookOn(relay)];
    await vi.waitFor(() => expect(heard.tellAll).toBe(2), { timeout: 10_000 });
    one.destroy();
    await vi.waitFor(() => expect(relay.counts().viewers).toBe(1), { timeout: 10_000 });
    expect(heard.left).toBe(0);
    other.destroy();
    await vi.waitFor(() => expect(heard.left).toBe(1), { timeout: 10_000 });
  });

  test('lets eight look on at a time', async () => {
    await Promise.all(Array.from({ length: 8 }, () => lookOn(relay)));
    await vi.waitFor(() => expect(relay.counts().viewers).toBe(8), { timeout: 10_000 });
    const url = new URL(relay.url);
    expect(await ask(url, `/${url.search}`)).toMatchObject({ status: 503 });
  });

  test('keeps a mebibyte at most for one that never reads, and serves others meanwhile', async () => {
    const stalled = await lookOn(relay);
    const receiver = receive(relay.url);
    await receiver.until('relay');
    const text = JSON.stringify({ type: '@xstate.event', sessionId: 'one', fill: 'x'.repeat(10_000) });
    const passed = (): number => receiver.told.filter(({ sessionId }) => sessionId === 'one').length;
    // More than what the kernel keeps for the two ends, and a mebibyte.
    const ROUNDS = 40;
    for (let round = 1; round <= ROUNDS; round++) {
      for (let n = 0; n < 40; n++) relay.send({ sessionId: 'one', text });
      await vi.waitFor(() => expect(passed()).toBe(round * 40), { interval: 5, timeout: 10_000 });
    }
    const { sent, dropped } = relay.counts();
    const given = (sent - passed() - 2) * text.length;
    const kernel = heldByKernel({ from: Number(new URL(relay.url).port), to: stalled.localPort ?? 0 });
    const waiting = (ROUNDS * 40 - dropped) * text.length - kernel - stalled.bytesRead;
    expect(dropped).toBeGreaterThan(100);
    expect(given).toBeGreaterThan(0);
    expect(waiting).toBeGreaterThan(MAX_WAITING_BYTES / 2);
    expect(waiting).toBeLessThanOrEqual(MAX_WAITING_BYTES);
    stalled.destroy();
  });

  test('closes in time although one never reads', async () => {
    await lookOn(relay);
    await vi.waitFor(() => expect(relay.counts().viewers).toBe(1), { timeout: 10_000 });
    for (let n = 0; n < 1_000; n++)
      relay.send({ sessionId: 'one', text: JSON.stringify({ fill: 'x'.repeat(20_000) }) });
    const from = performance.now();
    await relay.close();
    expect(performance.now() - from).toBeLessThan(2_000);
    expect(heard.problem).toBe(0);
  });
});

/** Somebody who looks on and reads nothing. */
async function lookOn({ url }: InspectionRelay): Promise<Socket> {
  const { host, port, search } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1').pause();
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const head = [`GET /${search} HTTP/1.1`, `host: ${host}`, 'connection: Upgrade', 'upgrade: websocket'];
  socket.write(
    `${[...head, 'sec-websocket-version: 13', 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='].join('\r\n')}\r\n\r\n`,
  );
  return socket;
}
