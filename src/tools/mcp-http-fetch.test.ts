import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { says, startSite } from './fixtures/http-site.ts';
import { createMcpFetch } from './mcp-http-fetch.ts';

const MEBIBYTE = 1024 * 1024;
const REQUEST = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
const ANSWER = { jsonrpc: '2.0', id: 1, result: {} };

test.each([
  ['as long as it is asked for something now and then', REQUEST, []],
  ['but no more in one go than an answer may have', ANSWER, ['it sent an answer of more than 16777216 bytes']],
])('A server may say as much by itself as it likes, %s', async (_, message, expected) => {
  const opened = Promise.withResolvers<ServerResponse>();
  await using site = await startSite({
    '/stream': (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      opened.resolve(response);
    },
    '/mcp': says('{}'),
  });
  const faults: string[] = [];
  const { fetch, close } = createMcpFetch({ silenceMs: 30_000, tooLong: (fault) => void faults.push(fault) });
  const { body } = await fetch(`${site.url}/stream`, { method: 'GET' });
  const stream = await opened.promise;
  const reader = body?.getReader();
  const hear = async (bytes: number): Promise<void> => {
    for (let left = bytes; left > 0;) left -= (await reader?.read())?.value?.length ?? left;
  };
  try {
    for (const said of [10, 10, 10]) {
      if (!stream.write('x'.repeat(said * MEBIBYTE))) await Promise.all([hear(said * MEBIBYTE), once(stream, 'drain')]);
      await (await fetch(`${site.url}/mcp`, { method: 'POST', body: JSON.stringify(message) })).text();
    }
  } catch {
    // It is cut.
  }
  expect(faults).toEqual(expected);
  await reader?.cancel().catch(() => undefined);
  await close();
});

test.each<[string, (response: ServerResponse) => void, string]>([
  ['before its answer', () => undefined, 'UND_ERR_HEADERS_TIMEOUT'],
  ['within its answer', (response) => response.flushHeaders(), 'UND_ERR_BODY_TIMEOUT'],
])('A request is given up after a silence %s, and the stream of a server is not', async (_, begin, code) => {
  const opened = Promise.withResolvers<ServerResponse>();
  await using site = await startSite({
    '/mcp': ({ method }, response) => {
      begin(response);
      if (method === 'GET') opened.resolve(response);
    },
  });
  const { fetch, close } = createMcpFetch({ silenceMs: 100, tooLong: () => undefined });
  const hear = async (): Promise<unknown> => await (await fetch(`${site.url}/mcp`, { method: 'GET' })).text();
  const heard = hear();
  const stream = await opened.promise;
  const ask = async (): Promise<string> => (await fetch(`${site.url}/mcp`, { method: 'POST', body: '{}' })).text();
  // Begun later: where there is a limit, the stream has reached it.
  await expect(ask()).rejects.toMatchObject({ cause: { code } });
  stream.end('news');
  expect(await heard).toBe('news');
  await close();
});
