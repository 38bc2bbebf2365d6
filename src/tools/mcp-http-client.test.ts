import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { says, startSite, type Route } from './fixtures/http-site.ts';
import { createMcpBench, httpServer } from './fixtures/mcp-bench.ts';
import { startMcpSite } from './fixtures/mcp-site.ts';

const fine = { ok: true, value: '{"a":1}' };

const RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'site', version: '1' },
  },
  'tools/list': { tools: ['say', 'wait'].map((name) => ({ name, inputSchema: { type: 'object' } })) },
  'tools/call': { content: [{ type: 'text', text: '{"a":1}' }] },
};
const messageSchema = z.object({
  id: z.int().optional(),
  method: z.string(),
  params: z.object({ name: z.string().optional() }).optional(),
});

/** A server that has no streams, keeps connections for a minute, and is silent when `wait` is called. */
function answersWhole(onWait: (socket: Socket) => void): Route {
  return (request, response, body) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = messageSchema.parse(JSON.parse(body));
    if (params?.name === 'wait') return onWait(request.socket);
    if (id === undefined) return void response.writeHead(202).end();
    const answer = JSON.stringify({ jsonrpc: '2.0', id, result: RESULTS[method] ?? {} });
    const kept = { connection: 'keep-alive', 'keep-alive': 'timeout=60' };
    return says(answer, { 'content-type': 'application/json', ...kept })(request, response, body);
  };
}

describe('A server over HTTP', () => {
  test('is called with the headers whose values the environment has, and left in good order', async () => {
    await using site = await startMcpSite();
    const bench = createMcpBench({ site: httpServer(site.url, { 'X-Key': 'SITE_KEY' }) }, { env: { SITE_KEY: 's3' } });
    expect(await bench.call('mcp/site/echo', { a: 1 })).toEqual(fine);
    expect(bench.tools.all().map(({ id }) => id)).toEqual(['mcp/site/echo', 'mcp/site/wait', 'mcp/site/huge']);
    await bench[Symbol.asyncDispose]();
    expect(new Set(site.keys)).toEqual(new Set(['s3']));
    expect(site.seen.at(-1)).toBe('DELETE /mcp');
  });

  test.each([
    ['no value', {}],
    ['a value that no header can have', { SITE_KEY: 'secret\n' }],
  ])('is not reached with %s for its header, and the value is not told', async (_, env) => {
    await using site = await startMcpSite();
    await using bench = createMcpBench({ site: httpServer(site.url, { 'X-Key': 'SITE_KEY' }) }, { env });
    const outcome = await bench.call('mcp/site/echo');
    expect(outcome).toMatchObject({
      failure: { code: 'not_available', message: expect.stringContaining('SITE_KEY') },
    });
    expect(JSON.stringify([outcome, bench.problems])).not.toContain('secret');
    expect(site.seen).toEqual([]);
  });

  test('whose connections break fails the calls that wait, and is connected to again', async () => {
    await using site = await startMcpSite();
    await using bench = createMcpBench({ site: httpServer(site.url) });
    expect(await bench.call('mcp/site/echo', { a: 1 })).toEqual(fine);
    const waiting = bench.call('mcp/site/wait');
    const requests = site.seen.length;
    await vi.waitUntil(() => site.seen.length > requests, { timeout: 10_000 });
    site.forget();
    site.cut();
    expect(await waiting).toMatchObject({ failure: { code: 'tool_failed', detail: { reason: 'crashed' } } });
    expect(await bench.call('mcp/site/echo', { a: 1 })).toEqual(fine);
  });

  test('that has forgotten the session refuses one call', async () => {
    await using site = await startMcpSite();
    await using bench = createMcpBench({ site: httpServer(site.url) });
    expect(await bench.call('mcp/site/echo', { a: 1 })).toEqual(fine);
    site.forget();
    expect(await bench.call('mcp/site/echo', { a: 1 })).toMatchObject({ failure: { code: 'tool_failed' } });
    await vi.waitUntil(async () => (await bench.call('mcp/site/echo', { a: 1 })).ok, { timeout: 10_000 });
  });

  test('that says too much is cut off', async () => {
    await using site = await startMcpSite();
    await using bench = createMcpBench({ site: httpServer(site.url) });
    expect(await bench.call('mcp/site/huge')).toMatchObject({
      failure: { message: expect.stringContaining('an answer of more than 16777216 bytes') },
    });
  });

  test('that takes nothing more once it is connected is not waited for', async () => {
    const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'site', version: '1' } };
    await using site = await startSite({
      '/mcp': (_, response, body) => {
        const { id, method } = z.object({ id: z.int().optional(), method: z.string() }).parse(JSON.parse(body));
        const answer = JSON.stringify({ jsonrpc: '2.0', id, result });
        if (method === 'initialize') says(answer, { 'content-type': 'application/json' })(_, response, body);
      },
    });
    const server = { ...httpServer(`${site.url}/mcp`), timeoutSeconds: 2 };
    await using bench = createMcpBench({ site: server });
    await bench.tools.ready([['*']]);
    expect(site.seen).toEqual(['POST /mcp', 'POST /mcp']);
    expect(bench.tools.troubles([['*']])).toEqual(['the MCP server site did not answer within 2 s']);
  });

  test('has the connection of a call freed soon after its time is over, and no earlier', async () => {
    const freed = Promise.withResolvers<unknown>();
    await using site = await startSite({ '/mcp': answersWhole((socket) => freed.resolve(once(socket, 'close'))) });
    await using bench = createMcpBench({ site: { ...httpServer(`${site.url}/mcp`), timeoutSeconds: 1 } });
    // It would not be a timeout if the connection had ended first.
    expect(await bench.call('mcp/site/wait')).toMatchObject({ failure: { detail: { reason: 'timeout' } } });
    await freed.promise;
    expect(await bench.call('mcp/site/say')).toEqual(fine);
  });

  test('is called also if its time, in binary, is no whole number of milliseconds', async () => {
    const timeoutSeconds = 64.1;
    await using site = await startMcpSite();
    await using bench = createMcpBench({ site: { ...httpServer(site.url), timeoutSeconds } });
    expect(await bench.call('mcp/site/echo', { a: 1 })).toEqual(fine);
  });

  test('has no connection left when it is not needed any more', async () => {
    const sockets = new Set<Socket>();
    const answer = answersWhole(() => undefined);
    await using site = await startSite({
      '/mcp': (request, ...rest) => {
        sockets.add(request.socket);
        answer(request, ...rest);
      },
    });
    const bench = createMcpBench({ site: httpServer(`${site.url}/mcp`) });
    expect(await bench.call('mcp/site/say')).toEqual(fine);
    await bench[Symbol.asyncDispose]();
    await vi.waitUntil(() => [...sockets].every(({ destroyed }) => destroyed), { timeout: 2_000 });
  });

  test('that leads elsewhere is not followed', async () => {
    await using other = await startSite({});
    await using site = await startSite({
      '/mcp': (_, response) => void response.writeHead(307, { location: `${other.url}/mcp` }).end(),
    });
    const server = httpServer(`${site.url}/mcp`, { 'X-Key': 'SITE_KEY' });
    await using bench = createMcpBench({ site: server }, { env: { SITE_KEY: 's3' } });
    expect(await bench.call('mcp/site/echo')).toMatchObject({
      failure: { message: expect.stringContaining(`${other.url}/mcp`), detail: { reason: 'not_connected' } },
    });
    expect(other.seen).toEqual([]);
  });

  test('that is not there is named', async () => {
    await using bench = createMcpBench({ site: httpServer('http://127.0.0.1:9/mcp') });
    expect(await bench.call('mcp/site/echo')).toMatchObject({
      failure: { message: expect.stringMatching(/^the MCP server site can't be reached: .*(?:ECONNREFUSED|bad port)/) },
    });
  });
});
