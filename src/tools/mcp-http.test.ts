import { request as httpRequest } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import { createItemBench, type ItemBench } from './fixtures/item-bench.ts';
import { createMcpActions } from './mcp-actions.ts';
import { serveMcpHttp, type McpHttp, type McpHttpOptions } from './mcp-http.ts';
import { createMcpRights } from './mcp-rights.ts';
import { createMcpServer } from './mcp-server.ts';

const TOKEN = 'a-token-of-the-test';

let bench: ItemBench;
let open: { close(): Promise<void> }[];
beforeEach(() => {
  bench = createItemBench();
  open = [];
});
afterEach(async () => {
  await Promise.all(open.toReversed().map((each) => each.close()));
  bench[Symbol.dispose]();
});

async function serve(options: Partial<McpHttpOptions> = {}, allow: readonly string[] = []): Promise<McpHttp> {
  const { dispatcher } = bench.services;
  const rights = createMcpRights(allow);
  const actions = createMcpActions({ dispatcher, rights, projectPath: bench.projectPath });
  const http = await serveMcpHttp({
    port: 0,
    token: TOKEN,
    createServer: () => createMcpServer(actions, { name: 'skein', version: '1' }),
    clock: createHandClock(),
    onProblem: () => undefined,
    ...options,
  });
  open.push(http);
  return http;
}

type Connected = { readonly client: Client; readonly transport: StreamableHTTPClientTransport };

async function connect({ url }: McpHttp, headers: Record<string, string> = {}): Promise<Connected> {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${TOKEN}`, ...headers } },
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1,
      maxReconnectionDelay: 1,
      reconnectionDelayGrowFactor: 1,
    },
  });
  await client.connect(transport);
  open.push(client);
  return { client, transport };
}

type Sent = { readonly status: number; readonly body: string; readonly headers: Readonly<Record<string, unknown>> };

/** A raw request; `body` may be a function that writes it in pieces. */
function send(http: McpHttp, options: Record<string, unknown>, body = ''): Promise<Sent> {
  const { url } = http;
  const { headers = {}, path = new URL(url).pathname, ...rest } = options as { headers?: object; path?: string };
  return new Promise((done, rejected) => {
    const sent = httpRequest(
      { host: '127.0.0.1', port: new URL(url).port, path, method: 'POST', headers: { ...GOOD, ...headers }, ...rest },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          done({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString(), headers: response.headers }),
        );
      },
    );
    sent.on('error', rejected);
    sent.end(body);
  });
}

const GOOD = {
  authorization: `Bearer ${TOKEN}`,
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
};

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});

describe('The MCP server over HTTP', () => {
  test('serves the official client', async () => {
    bench.write(
      'project/.ai/knowledge/demo/note.md',
      '---\nname: note\ntitle: A note\nversion: "1.0.0"\n---\n\nHello\n',
    );
    const http = await serve();
    const { client } = await connect(http);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['execute', 'search', 'load', 'fetch']);
    const result = await client.callTool({ name: 'load', arguments: { item_type: 'knowledge', item_id: 'demo/note' } });
    expect(result).toMatchObject({
      isError: false,
      structuredContent: { status: 'success', type: 'knowledge', item_id: 'demo/note', data: { content: 'Hello' } },
    });
    expect(JSON.parse(textOf(result))).toEqual(result.structuredContent);
  });

  test.each([
    ['no token', { headers: { authorization: '' } }, 401],
    ['a wrong token', { headers: { authorization: 'Bearer a-token-of-the-tesT' } }, 401],
    ['a token of another kind', { headers: { authorization: `Basic ${TOKEN}` } }, 401],
    ['the name of another host', { headers: { host: 'evil.example' } }, 403],
    ['this host and another port', { headers: { host: '127.0.0.1:1' } }, 403],
    ['the page of another origin', { headers: { origin: 'http://evil.example' } }, 403],
    ['a page without an origin', { headers: { origin: 'null' } }, 403],
    ['another path', { path: '/' }, 404],
    ['another method', { method: 'PUT' }, 405],
    ['an unknown session', { headers: { 'mcp-session-id': 'x' } }, 404],
    ['a stream without a session', { method: 'GET', headers: { accept: 'text/event-stream' } }, 400],
    ['an end without a session', { method: 'DELETE' }, 400],
    ['a body that is too large', { headers: { 'content-length': '1000001' } }, 413],
    ['a body that grows too large', { headers: { 'transfer-encoding': 'chunked' }, large: true }, 413],
    ['nonsense', { text: '{' }, 400],
    ['a call without a session', { text: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' }, 400],
  ])('refuses %s', async (_, { text = '', ...options }: Record<string, unknown>, status) => {
    const http = await serve({ maxBodyBytes: 1_000_000 });
    const body = 'large' in options ? ' '.repeat(1_000_001) : String(text);
    const refused = await send(http, options, body);
    expect(refused.status).toBe(status);
    expect(JSON.parse(refused.body)).toMatchObject({
      jsonrpc: '2.0',
      error: { message: expect.any(String) },
      id: null,
    });
    expect(http.sessions()).toBe(0);
  });

  test.each([['127.0.0.1'], ['localhost']])('is %s to itself, as host and as origin', async (name) => {
    const http = await serve();
    const host = `${name}:${new URL(http.url).port}`;
    const { status, headers } = await send(http, { headers: { host, origin: `http://${host}` } }, INITIALIZE);
    expect([status, headers['mcp-session-id']]).toEqual([200, expect.any(String)]);
  });

  test('says which option would have allowed what it refuses, and shows what would be done', async () => {
    const http = await serve();
    const { client } = await connect(http);
    const call = { name: 'execute', arguments: { item_id: 'test/echo', parameters: { text: 'hi' } } };
    expect(await client.callTool(call)).toMatchObject({
      isError: true,
      structuredContent: {
        status: 'error',
        code: 'permission_denied',
        error: expect.stringMatching(/start skein mcp with --allow 'rye\.execute\.tool\.test\.echo' to allow it$/),
      },
    });
    const dry = await client.callTool({ ...call, arguments: { ...call.arguments, dry_run: true } });
    expect(dry).toMatchObject({ isError: false, structuredContent: { data: { dry_run: true } } });
    expect(await client.callTool({ name: 'sign', arguments: { item_id: 'x' } })).toMatchObject({
      structuredContent: { code: 'permission_denied', error: expect.stringContaining("--allow 'rye.sign.*'") },
    });
    await expect(client.callTool({ name: 'other', arguments: {} })).rejects.toThrow(
      'There is no tool "other"; there are execute, search, load, fetch',
    );
    expect(await client.callTool({ name: 'search', arguments: { limit: 'x' } })).toMatchObject({
      structuredContent: { code: 'tool_input_invalid', type: null, item_id: null },
    });
  });

  test('ends a call that its client cancels', async () => {
    const http = await serve({}, ['rye.execute.tool.*']);
    const { client } = await connect(http);
    const cancel = new AbortController();
    const call = { name: 'execute', arguments: { item_id: 'test/slow' } };
    const pending = client.callTool(call, undefined, { signal: cancel.signal });
    await vi.waitUntil(() => bench.slow.calls.length === 1, { timeout: 10_000 });
    cancel.abort('enough');
    await expect(pending).rejects.toThrow('enough');
    await vi.waitUntil(() => bench.slow.aborted.length === 1, { timeout: 10_000 });
  });
});

describe('A session', () => {
  test('ends with DELETE, and what it still runs with it', async () => {
    const http = await serve({}, ['rye.execute.tool.test.slow']);
    const { client, transport } = await connect(http);
    const pending = client.callTool({ name: 'execute', arguments: { item_id: 'test/slow' } }).catch(String);
    await vi.waitUntil(() => bench.slow.calls.length === 1, { timeout: 10_000 });
    expect(http.sessions()).toBe(1);
    await transport.terminateSession();
    expect([http.sessions(), bench.slow.aborted]).toEqual([0, [0]]);
    await client.close();
    expect(await pending).toContain('Connection closed');
  });

  test('ends when nothing of it was open for a while', async () => {
    const clock = createHandClock();
    const http = await serve({ clock, idleMs: 1_000 });
    const { client } = await connect(http);
    await client.listTools();
    clock.advance(10_000);
    expect(http.sessions()).toBe(1);
    // Its stream is closed; nobody says goodbye.
    await client.close();
    await vi.waitUntil(() => clock.pending() === 1, { timeout: 10_000 });
    clock.advance(999);
    expect(http.sessions()).toBe(1);
    clock.advance(1);
    await vi.waitUntil(() => http.sessions() === 0, { timeout: 10_000 });
    expect(clock.pending()).toBe(0);
  });

  test('makes room for a new one when there are too many, if nothing of it is open', async () => {
    const clock = createHandClock();
    const http = await serve({ maxSessions: 2, clock });
    // A session without a timer has its stream open.
    const isBusy = (): boolean => clock.pending() === 0;
    const { client } = await connect(http);
    await vi.waitUntil(isBusy, { timeout: 10_000 });
    const begin = async (): Promise<unknown[]> => {
      const { status, headers } = await send(http, {}, INITIALIZE);
      return [status, headers['mcp-session-id'] !== undefined, http.sessions()];
    };
    expect([await begin(), await begin(), await begin()]).toEqual([1, 2, 3].map(() => [200, true, 2]));
    await client.ping();
    await connect(http);
    await vi.waitUntil(isBusy, { timeout: 10_000 });
    expect(await begin()).toEqual([503, false, 2]);
  });

  test('ends with the server', async () => {
    const http = await serve({}, ['rye.execute.tool.test.slow']);
    const { client } = await connect(http);
    const pending = client.callTool({ name: 'execute', arguments: { item_id: 'test/slow' } }).catch(String);
    await vi.waitUntil(() => bench.slow.calls.length === 1, { timeout: 10_000 });
    await http.close();
    open.splice(0, 1);
    expect([http.sessions(), bench.slow.aborted]).toEqual([0, [0]]);
    await client.close();
    expect(await pending).toContain('Connection closed');
  });
});

test('A port that is taken is refused', async () => {
  const http = await serve();
  await expect(serve({ port: Number(new URL(http.url).port) })).rejects.toMatchObject({ code: 'invalid_argument' });
});

test.each([['rye.execute.tool.rye.file-system.*'], ['rye.execute.tool.rye/bash'], ['rye.sign.*'], ['rye.*']])(
  'The capability %j can be allowed',
  (capability) => {
    expect(() => createMcpRights([capability])).not.toThrow();
  },
);

test.each([['execute.tool.*'], ['rye.run.*'], ['rye.execute tool'], ['*'], ['']])(
  'The capability %j is refused',
  (capability) => {
    const code = 'invalid_argument';
    expect(() => createMcpRights([capability])).toThrow(expect.objectContaining({ code }));
  },
);

function textOf(result: unknown): string {
  expect(result).toMatchObject({ content: [{ type: 'text', text: expect.any(String) }] });
  return (result as { content: [{ text: string }] }).content[0].text;
}
