import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHandClock } from '../../../test/conformance/hand-clock.ts';
import type { Script } from '../scripted-schema.ts';
import { startLlmServer, type LlmServer } from './llm-server.ts';

type Rule = Script['rules'][number];

const CALL = [{ name: 'read', input: { path: 'a.txt' } }];
const RULES: Readonly<Record<string, Omit<Rule, 'match'>>> = {
  end: { text: 'abcdef', chunks: 3, break: { how: 'end', after_chunks: 2 } },
  garbage: { text: 'abcdef', chunks: 3, break: { how: 'garbage', after_chunks: 1 } },
  reset: { text: 'abcdef', chunks: 3, break: { how: 'reset', after_chunks: 1 } },
  stall: { text: 'abcdef', chunks: 3, break: { how: 'stall', after_chunks: 2 } },
  silent: { text: 'abcdef', break: { how: 'stall', after_chunks: 0 } },
  cut: { tool_calls: CALL, break: { how: 'cut_tool' } },
  header: { error: { status_code: 500, headers: { 'no good': 'x' } } },
  late: { error: { status_code: 500, headers: { 'no good': 'x' } }, delay_ms: 1 },
  whole: { text: 'abcdef' },
};

let server: LlmServer;

beforeAll(async () => {
  const rules = Object.entries(RULES).map(([match, rule]) => ({ match: `^${match}$`, ...rule }));
  server = await startLlmServer({ script: { rules } });
});
afterAll(() => server.close());

describe('A stream that its script breaks', () => {
  test('ends in good order within the answer', async () => {
    const text = await (await ask('end')).text();
    expect(deltasOf(text)).toEqual(['ab', 'cd']);
    expect(text).not.toContain('finish_reason":"stop"');
  });

  test('ends in something that is no JSON', async () => {
    const text = await (await ask('garbage')).text();
    expect(deltasOf(text.slice(0, text.lastIndexOf('data:')))).toEqual(['ab']);
    expect(() => JSON.parse(text.slice(text.lastIndexOf('data:') + 5))).toThrow('JSON');
  });

  test('is reset after what was sent', async () => {
    const answer = await ask('reset');
    await expect(answer.text()).rejects.toThrow('terminated');
  });

  test('ends with its limit within the input of its last tool call', async () => {
    const text = await (await ask('cut')).text();
    expect(text).toContain('"finish_reason":"length"');
    const parts = [...text.matchAll(/"arguments":"((?:[^"\\]|\\.)*)"/g)].map(([, part]) => JSON.parse(`"${part}"`));
    expect(parts.join('')).toBe('{"path":');
  });

  test('says nothing more and stays open, until the server closes', async () => {
    const own = await startLlmServer({ script: { rules: [{ text: 'abcdef', chunks: 3, ...RULES['stall'] }] } });
    const reader = (await ask('x', own)).body?.getReader();
    const first = await reader?.read();
    expect(deltasOf(new TextDecoder().decode(first?.value))).toEqual(['ab', 'cd']);
    const next = reader?.read();
    await own.close();
    await expect(next).rejects.toThrow('terminated');
  });

  test('can be silent from the beginning', async () => {
    const own = await startLlmServer({ script: { rules: [{ text: 'x', ...RULES['silent'] }] } });
    const answer = ask('x', own);
    while (own.requests().length === 0) await new Promise(setImmediate);
    await own.close();
    await expect(answer).rejects.toThrow('fetch failed');
  });
});

const HOUR = 3_600_000;

test.each([
  ['as it is', 0],
  ['moved forward by hours', 5 * HOUR],
  ['moved back by hours', -5 * HOUR],
])('Pieces are spread over the delay, and all that are due go out at once (the clock: %s)', async (_, setBy) => {
  const clock = createHandClock();
  const rules: Rule[] = [{ text: 'abcdefghij', chunks: 10, delay_ms: 1000 }];
  await using own = await startLlmServer({ script: { rules }, clock });
  const asked = ask('x', own);
  while (clock.pending() === 0) await new Promise(setImmediate);
  clock.set(setBy);
  clock.advance(100);
  const reader = (await asked).body?.getReader();
  const read = async () => deltasOf(new TextDecoder().decode((await reader?.read())?.value));
  expect(await read()).toEqual(['a']);
  clock.advance(100);
  expect(await read()).toEqual(['b']);
  clock.advance(800);
  const rest: string[] = [];
  while (rest.length < 8) rest.push(...(await read()));
  expect(rest.join('')).toBe('cdefghij');
  expect(clock.pending()).toBe(0);
});

describe('The server', () => {
  test('forgets a delayed answer whose client has left', async () => {
    const clock = createHandClock();
    await using own = await startLlmServer({ script: { rules: [{ text: 'x', delay_ms: 1000 }] }, clock });
    const leaving = new AbortController();
    const asked = ask('x', own, leaving.signal);
    while (clock.pending() === 0) await new Promise(setImmediate);
    leaving.abort();
    await expect(asked).rejects.toThrow('aborted');
    while (clock.pending() > 0) await new Promise(setImmediate);
    expect(own.requests()).toHaveLength(1);
  });

  test.each<[string, number, string, Parameters<typeof send>[0]]>([
    ['another host', 403, 'This host is not served', { headers: { host: 'evil.example' } }],
    ['a page of another origin', 403, 'This origin is not served', { headers: { origin: 'http://evil.example' } }],
    ['a path it does not have', 404, 'There is no /v1/models', { path: '/v1/models' }],
    ['a path with a broken escape', 404, 'There is no', { path: '/v1beta/models/%E0%A4%A:generateContent' }],
    ['another method', 405, 'GET is not allowed here', { method: 'GET' }],
    ['a body that is no JSON', 400, 'The body is not JSON', { body: '{"model":' }],
    ['a body that says it is too large', 413, 'A request may have', { headers: { 'content-length': 2 ** 25 } }],
    [
      'a body that is too large',
      413,
      'A request may have',
      { body: ' '.repeat(2 ** 24 + 1), headers: { 'transfer-encoding': 'chunked' } },
    ],
    ['a model that is not served', 404, 'The model `m` does not exist', { unserved: true }],
    ['a header of a script that is none', 500, 'Header name must be', { body: bodyOf('header') }],
    ['such a header after a delay', 500, 'Header name must be', { body: bodyOf('late') }],
  ])('refuses %s', async (_title, status, message, request) => {
    await using other = await startLlmServer({ scripts: { n: { rules: [{ text: 'x' }] } } });
    const answer = await send({ port: portOf(request.unserved ? other : server), ...request });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { message: expect.stringContaining(message) } });
  });

  test('refuses headers without end', async () => {
    const answer = await send({ headers: { 'x-long': 'x'.repeat(40_000) } });
    expect(answer.status).toBe(431);
  });

  test('is found under localhost too', async () => {
    const headers = { host: `localhost:${portOf(server)}` };
    expect(await send({ headers, body: bodyOf('whole') })).toMatchObject({ status: 200 });
  });

  test('listens on the loopback interface alone, and takes no port twice', async () => {
    expect(server.origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const script = { rules: [{ text: 'x' }] };
    await expect(startLlmServer({ script, port: portOf(server) })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  test('refuses a wrong script before it listens', async () => {
    const script = { rules: [] };
    await expect(startLlmServer({ script })).rejects.toMatchObject({ code: 'invalid_config' });
  });

  test('keeps the last requests, as many as it is told', async () => {
    await using own = await startLlmServer({ script: { rules: [{ text: 'x' }] }, keepRequests: 2 });
    for (const word of ['a', 'b', 'c', 'd', 'e']) await (await ask(word, own)).text();
    const said = own
      .requests()
      .map(({ body }) => JSON.stringify(body).at(JSON.stringify(body).indexOf('content":"') + 10));
    expect(said).toEqual(['d', 'e']);
  });

  test('survives a client that leaves within its request', async () => {
    const socket = connect(portOf(server), '127.0.0.1');
    const head = `POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1:${portOf(server)}\r\ncontent-length: 50\r\n\r\n{`;
    await new Promise((resolve) => socket.write(head, resolve));
    socket.resetAndDestroy();
    expect((await ask('whole')).status).toBe(200);
  });

  test('answers as a function that is a script does, and with 400 where it throws', async () => {
    const respond = ({ model }: { readonly model: string }) => {
      if (model === 'm') throw new Error('no such model of mine');
      return { text: `I am ${model}` };
    };
    await using own = await startLlmServer({ script: { respond }, scripts: undefined, port: undefined });
    const answer = await ask('x', own);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('no such model of mine');
  });
});

function ask(prompt: string, at: LlmServer = server, signal?: AbortSignal): Promise<Response> {
  const url = `${at.origin}/v1/chat/completions`;
  return fetch(url, { method: 'POST', body: bodyOf(prompt), ...(signal && { signal }) });
}

function bodyOf(content: string): string {
  return JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content }] });
}

function deltasOf(frames: string): string[] {
  const lines = frames.split('\n').filter((line) => line.startsWith('data: {'));
  const deltas = lines.map((line) => JSON.parse(line.slice(6)).choices[0].delta.content);
  return deltas.filter((text: unknown) => typeof text === 'string' && text !== '');
}

function portOf({ origin }: LlmServer): number {
  return Number(new URL(origin).port);
}

type Sent = {
  readonly port?: number;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: string;
  /** Sent to a server that does not have the model. */
  readonly unserved?: boolean;
};

/** A request as no `fetch` would send it. */
function send({ port, path = '/v1/chat/completions', method = 'POST', headers = {}, body = bodyOf('whole') }: Sent) {
  return new Promise<{ readonly status: number | undefined; readonly body: string }>((resolve, reject) => {
    const options = { host: '127.0.0.1', port: port ?? portOf(server), path, method, headers };
    const request = httpRequest(options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      answer.on('end', () => resolve({ status: answer.statusCode, body: text }));
      answer.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}
