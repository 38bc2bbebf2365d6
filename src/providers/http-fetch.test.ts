import { expect, test } from 'vitest';
import { serve } from '../../test/fixtures/loopback.ts';
import { createFetch, type Transport } from './http-fetch.ts';

async function drain(response: Response): Promise<number> {
  let bytes = 0;
  // Node's web streams are async iterables.
  for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) bytes += piece.length;
  return bytes;
}

test('a redirect is not followed, so that a key stays where it was sent', async () => {
  let requests = 0;
  await using server = await serve((_request, response) => {
    requests += 1;
    response.writeHead(307, { location: '/elsewhere' }).end('moved');
  });
  const response = await createFetch()(server.url, { method: 'POST', body: '{}', headers: { 'x-api-key': 'k' } });
  expect(response.status).toBe(307);
  expect(response.ok).toBe(false);
  expect(await response.text()).toBe('moved');
  expect(requests).toBe(1);
});

test('a line of 8 MB is refused before it reaches a parser', async () => {
  await using server = await serve((_request, response) => {
    response.writeHead(200);
    response.end(Buffer.alloc(8 * 1024 * 1024, 'x'));
  });
  const response = await createFetch()(server.url);
  await expect(drain(response)).rejects.toThrow(/line of the answer is longer/);
});

test('half a character is not sent, and all else as it is', async () => {
  let sent: string | null = '';
  const transport: Transport = async ({ body }) => {
    sent = body;
    return { status: 200, headers: {}, body: (async function* () {})() };
  };
  const text = ['\ud83d', 'a\udc00b', '😀', '\\ud83d', '\\\ud83d', '"\n\u0001'];
  const body = JSON.stringify({ text, '\ud83d': 1 });
  await createFetch({ transport })('http://localhost', { method: 'POST', body });
  expect(JSON.parse(sent)).toEqual({ text: text.map((each) => each.toWellFormed()), '\ufffd': 1 });
});

test('8 MB in lines pass', async () => {
  const body = `${'x'.repeat(1023)}\n`.repeat(8 * 1024);
  await using server = await serve((_request, response) => {
    response.writeHead(200);
    response.end(body);
  });
  expect(await drain(await createFetch()(server.url, { method: 'POST', body: '{}' }))).toBe(body.length);
});

test("an error's body is read up to a limit", async () => {
  await using server = await serve((_request, response) => {
    response.writeHead(500);
    response.end('e'.repeat(1_000_000));
  });
  const response = await createFetch()(server.url);
  expect((await response.text()).length).toBe(64 * 1024);
});
