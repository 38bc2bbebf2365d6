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
  const fetch = createMcpFetch((fault) => void faults.push(fault));
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
});
