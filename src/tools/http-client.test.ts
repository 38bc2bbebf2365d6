import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import type { Failure } from '../core/errors.ts';
import type { ToolItem } from '../core/item.ts';
import type { ToolOutcome } from '../core/tool.ts';
import { echoes, redirects, says, startSite, type Route } from './fixtures/http-site.ts';
import { createToolBench, systemTool, type ToolBench, type ToolBenchOptions } from './fixtures/tool-bench.ts';

const LOOPBACK = ['127.0.0.0/8'];

/** A bench whose user allows requests to this machine. */
function openBench(options: ToolBenchOptions = {}): ToolBench {
  return createToolBench({ allowPrivate: LOOPBACK, ...options });
}

/** A tool that sends a request as `config` says. */
function requestTool(
  bench: ToolBench,
  config: Readonly<Record<string, unknown>>,
  fields: Partial<ToolItem> = {},
): ToolItem {
  const head = 'tool_type: http\nexecutor_id: rye/core/primitives/http_client\n';
  return bench.yaml('test/request', `${head}config: ${JSON.stringify(config)}\n`, fields);
}

function valueOf(outcome: ToolOutcome): Readonly<Record<string, unknown>> {
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.value as Readonly<Record<string, unknown>>; // `httpOutcome` gives an object
}

function failureOf(outcome: ToolOutcome): Failure {
  if (outcome.ok) throw new Error(`expected a failure, got ${JSON.stringify(outcome.value)}`);
  return outcome.failure;
}

describe('a request', () => {
  test('gives status, url, content type and body', async () => {
    await using site = await startSite({ '/a': says('hello', { 'content-type': 'text/plain; charset=utf-8' }) });
    using bench = openBench();
    expect(await bench.call(requestTool(bench, { url: `${site.url}/a#part` }))).toEqual({
      ok: true,
      value: { status: 200, url: `${site.url}/a#part`, content_type: 'text/plain; charset=utf-8', body: 'hello' },
    });
  });

  test('that is answered with 404 is answered', async () => {
    await using site = await startSite({});
    using bench = openBench();
    const value = valueOf(await bench.call(requestTool(bench, { url: `${site.url}/x` })));
    expect(value).toMatchObject({ status: 404, body: 'not here' });
  });

  test.each([
    [{ id: 'a b/c?d#e&f=g' }, '/items/a%20b%2Fc%3Fd%23e%26f%3Dg/x?q=a%20b%2Fc%3Fd%23e%26f%3Dg'],
    [{ id: 'ä%41' }, '/items/%C3%A4%2541/x?q=%C3%A4%2541'],
    [{ id: 7 }, '/items/7/x?q=7'],
    [{ id: '\ud800' }, '/items/%EF%BF%BD/x?q=%EF%BF%BD'],
    [{ id: '...' }, '/items/.../x?q=...'],
  ])('has its params %j percent-encoded in the URL', async (params, path) => {
    await using site = await startSite({});
    using bench = openBench();
    const url = `${site.url}/items/\${params.id}/x?q=\${params.id}`;
    await bench.call(requestTool(bench, { url }), params);
    expect(site.seen).toEqual([`GET ${path}`]);
  });

  test.each([
    [{ id: '..' }, 'change the path'],
    [{ id: '.' }, 'change the path'],
    [{}, 'needs params.id'],
    [{ id: null }, 'needs params.id'],
  ])('is not sent with the params %j', async (params, message) => {
    await using site = await startSite({});
    using bench = openBench();
    const failure = failureOf(await bench.call(requestTool(bench, { url: `${site.url}/items/\${params.id}` }), params));
    expect(failure).toMatchObject({ code: 'tool_input_invalid', message: expect.stringContaining(message) });
    expect(site.connections()).toBe(0);
  });

  test('carries a body as JSON, types kept, and headers', async () => {
    await using site = await startSite({ '/': echoes });
    using bench = openBench();
    const tool = requestTool(bench, {
      method: 'POST',
      url: site.url,
      headers: { 'X-Name': 'n-${params.name}' },
      body: { count: '${params.count}', list: ['${params.name}'], plain: true },
      result: 'json',
    });
    const { body } = valueOf(await bench.call(tool, { count: 3, name: 'Ada' }));
    expect(body).toMatchObject({
      method: 'POST',
      headers: { 'x-name': 'n-Ada', 'content-type': 'application/json', 'user-agent': 'skein' },
      body: '{"count":3,"list":["Ada"],"plain":true}',
    });
  });

  test('carries a body of text', async () => {
    await using site = await startSite({ '/': echoes });
    using bench = openBench();
    const tool = requestTool(bench, { method: 'PUT', url: site.url, body: 'x=${params.x}', result: 'json' });
    const { body } = valueOf(await bench.call(tool, { x: 'ü' }));
    expect(body).toMatchObject({ body: 'x=ü', headers: { 'content-type': 'text/plain; charset=utf-8' } });
  });

  test.each(['a\r\nx: y', 'a\nb', '\u0000', 'snow ☃'])('is not sent with the header value %j', async (name) => {
    using bench = openBench();
    const tool = requestTool(bench, { url: 'http://127.0.0.1:1/', headers: { 'x-name': '${params.name}' } });
    expect(failureOf(await bench.call(tool, { name })).code).toBe('tool_input_invalid');
  });

  test.each([
    [{ method: 'TRACE' }, 'config.method'],
    [{ headers: { Host: 'other' } }, 'config.headers.Host'],
    [{ headers: { 'Transfer-Encoding': 'chunked' } }, 'config.headers.Transfer-Encoding'],
    [{ headers: { 'a b': 'x' } }, 'config.headers.a b'],
    [{ max_redirects: 6 }, 'config.max_redirects'],
    [{ timeout_seconds: 0 }, 'config.timeout_seconds'],
    [{ max_bytes: 2097153 }, 'config.max_bytes'],
    [{ retries: 3 }, 'config'],
  ])('with the setting %j is refused, naming the file and the place', async (config, path) => {
    using bench = openBench();
    const tool = requestTool(bench, { url: 'http://127.0.0.1:1/', ...config });
    expect(failureOf(await bench.call(tool))).toMatchObject({ code: 'invalid_item', where: { file: tool.file, path } });
  });

  test.each([
    [{ url: 'http://127.0.0.1:1/${env.HOME}' }, '${env.HOME}'],
    [{ url: 'http://127.0.0.1:1/', headers: { a: '${file}' } }, '${file}'],
  ])('with %j is refused: there is no such variable', async (config, name) => {
    using bench = openBench();
    const failure = failureOf(await bench.call(requestTool(bench, config)));
    expect(failure).toMatchObject({ code: 'invalid_item', message: expect.stringContaining(name) });
  });
});

describe('a URL that is a param', () => {
  test.each([
    'ftp://127.0.0.1/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/plain,x',
    'http://user:secret@127.0.0.1/',
    'http://user@127.0.0.1/',
    '//127.0.0.1/',
    '/etc/passwd',
    'http://',
    '',
  ])('is not requested: %j', async (url) => {
    using bench = openBench();
    const failure = failureOf(await bench.call(requestTool(bench, { url: '${params.url}' }), { url }));
    expect(failure.code).toBe('tool_input_invalid');
  });
});

describe('a variable of the environment', () => {
  const config = {
    url: 'http://127.0.0.1:1/',
    headers: { authorization: 'Bearer ${env.TEST_TOKEN}' },
    env: ['TEST_TOKEN'],
  };
  const env = { PATH: '/bin', TEST_TOKEN: 'sesame' };

  test.each([
    ['a file of the user names it', { space: 'user' } as const, {}],
    ['a file of the project names it and the user lists it', {}, { envNames: ['TEST_TOKEN'] }],
  ])('goes into a header when %s', async (_, fields, options) => {
    await using site = await startSite({ '/': echoes });
    using bench = openBench({ env, ...options });
    const tool = requestTool(bench, { ...config, url: site.url, result: 'json' }, fields);
    expect(valueOf(await bench.call(tool))['body']).toMatchObject({ headers: { authorization: 'Bearer sesame' } });
  });

  test('that only a file of the project names is not sent', async () => {
    using bench = openBench({ env });
    const failure = failureOf(await bench.call(requestTool(bench, config)));
    expect(failure.code).toBe('permission_denied');
    expect(failure.message).toMatch(/TEST_TOKEN .*tools\.env in config\/agent\.yaml of the user space/);
  });

  test.each([
    ['not named', { ...config, env: [] }, env],
    ['not set', config, { PATH: '/bin' }],
  ])('that is %s is not sent', async (_, config, env) => {
    using bench = openBench({ env });
    const failure = failureOf(await bench.call(requestTool(bench, config, { space: 'user' })));
    expect(failure).toMatchObject({ code: 'tool_failed', detail: { reason: 'no_variable' } });
    expect(failure.message).not.toContain('sesame');
  });
});

describe('a private address', () => {
  test.each([
    'http://127.0.0.1:PORT/',
    'http://localhost:PORT/',
    'http://127.1:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f.0.0.1:PORT/',
    'http://127.0.0.1.:PORT/',
    'http://0:PORT/',
    'http://[::1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/',
  ])('is not connected to: %s', async (url) => {
    await using site = await startSite({ '/': says('secret') });
    using bench = createToolBench();
    const tool = requestTool(bench, { url: '${params.url}', allow_private: true });
    const failure = failureOf(await bench.call(tool, { url: url.replace('PORT', String(site.port)) }));
    expect(failure).toMatchObject({ code: 'permission_denied', detail: { reason: 'private_address' } });
    expect(failure.message).toContain('tools.allow_private');
    expect(site.connections()).toBe(0);
  });

  test('is not connected to under a name', async () => {
    await using site = await startSite({ '/': says('secret') });
    using bench = createToolBench({ lookup: (_, __, found) => found(null, [{ address: '127.0.0.1', family: 4 }]) });
    const failure = failureOf(await bench.call(requestTool(bench, { url: `http://good.example:${site.port}/` })));
    expect(failure.message).toContain('good.example is at 127.0.0.1');
    expect(site.connections()).toBe(0);
  });

  test('of a name that has others too is passed over', async () => {
    await using site = await startSite({ '/': says('fine') });
    const asked: string[] = [];
    using bench = createToolBench({
      allowPrivate: ['127.0.0.1/32'],
      lookup: (host, _, found) => {
        asked.push(host);
        found(null, [
          { address: '127.0.0.2', family: 4 },
          { address: '127.0.0.1', family: 4 },
        ]);
      },
    });
    const tool = requestTool(bench, { url: `http://two.example:${site.port}/` });
    expect(valueOf(await bench.call(tool))).toMatchObject({ body: 'fine' });
    expect(asked).toEqual(['two.example']);
  });

  test('that a name means from the second look on is not connected to', async () => {
    await using site = await startSite({
      '/': (_, response) => void response.writeHead(302, { location: '/', connection: 'close' }).end(),
    });
    let looks = 0;
    using bench = createToolBench({
      allowPrivate: ['127.0.0.1/32'],
      lookup: (_, __, found) => found(null, [{ address: looks++ === 0 ? '127.0.0.1' : '127.0.0.2', family: 4 }]),
    });
    const failure = failureOf(await bench.call(requestTool(bench, { url: `http://flip.example:${site.port}/` })));
    expect(failure).toMatchObject({ code: 'permission_denied', message: expect.stringContaining('127.0.0.2') });
    expect([looks, site.connections()]).toEqual([2, 1]);
  });

  test('is taken back by any file of the chain', async () => {
    await using site = await startSite({ '/': says('secret') });
    using bench = openBench();
    const failure = failureOf(await bench.call(requestTool(bench, { url: site.url, allow_private: false })));
    expect(failure.code).toBe('permission_denied');
  });
});

describe('a redirect', () => {
  test.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [302, 'PUT', 'PUT', 'text'],
    [307, 'POST', 'POST', 'text'],
    [308, 'PATCH', 'PATCH', 'text'],
  ])('with %i of a %s is followed with a %s', async (status, method, then, body) => {
    await using site = await startSite({ '/a': redirects('/b?x=1', status), '/b': echoes });
    using bench = openBench();
    const tool = requestTool(bench, {
      method,
      url: `${site.url}/a`,
      body: 'text',
      headers: { 'x-key': 'k' },
      result: 'json',
    });
    const value = valueOf(await bench.call(tool));
    expect(value).toMatchObject({ url: `${site.url}/b?x=1`, body: { method: then, body, headers: { 'x-key': 'k' } } });
    const headers = (value['body'] as { headers: object }).headers;
    expect('content-type' in headers).toBe(body !== '');
  });

  test('to another server does not take the headers along', async () => {
    await using other = await startSite({ '/': echoes });
    await using site = await startSite({ '/': redirects(`${other.url}/`) });
    using bench = openBench();
    const tool = requestTool(bench, {
      url: site.url,
      headers: { authorization: 'Bearer k', 'x-key': 'k' },
      result: 'json',
    });
    const { headers } = valueOf(await bench.call(tool))['body'] as { headers: object };
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['authorization']));
    expect(headers).not.toHaveProperty('x-key');
    expect(other.seen).toEqual(['GET /']);
  });

  test('to another server that takes the body along takes its type along', async () => {
    await using other = await startSite({ '/': echoes });
    await using site = await startSite({ '/': redirects(`${other.url}/`, 307) });
    using bench = openBench();
    const config = { url: site.url, method: 'POST', body: { a: 1 }, headers: { 'x-key': 'k' }, result: 'json' };
    const { headers, body } = valueOf(await bench.call(requestTool(bench, config)))['body'] as Record<string, object>;
    expect([body, headers]).toEqual(['{"a":1}', expect.objectContaining({ 'content-type': 'application/json' })]);
    expect(headers).not.toHaveProperty('x-key');
  });

  test.each([
    ['http://10.0.0.1/', 'permission_denied', /10\.0\.0\.1/],
    ['http://[::1]/', 'permission_denied', /::1/],
    ['file:///etc/passwd', 'tool_failed', /file:/],
    ['http://u:p@127.0.0.1/', 'tool_failed', /user name/],
    ['http://', 'tool_failed', /no absolute URL/],
  ])('to %s is not followed', async (location, code, message) => {
    await using site = await startSite({ '/': redirects(location) });
    using bench = openBench();
    const failure = failureOf(await bench.call(requestTool(bench, { url: site.url })));
    expect(failure).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  const countdown: Route = (request, response) => {
    const left = Number(request.url?.split('?')[1]);
    if (left === 0) response.end('there');
    else response.writeHead(302, { location: `/?${left - 1}` }).end();
  };

  test('is followed five times', async () => {
    await using site = await startSite({ '/': countdown });
    using bench = openBench();
    expect(valueOf(await bench.call(requestTool(bench, { url: `${site.url}/?5` })))).toMatchObject({ body: 'there' });
  });

  test('is not followed six times', async () => {
    await using site = await startSite({ '/': countdown });
    using bench = openBench();
    const failure = failureOf(await bench.call(requestTool(bench, { url: `${site.url}/?6` })));
    expect(failure).toMatchObject({ code: 'tool_failed', detail: { reason: 'redirects' } });
    expect(site.seen).toHaveLength(6);
  });

  test('with an endless body does not hold up the next request', async () => {
    const endless: Route = (_, response) => {
      response.writeHead(302, { location: '/b' });
      const more = (): void =>
        void (response.write('x'.repeat(65536)) ? setImmediate(more) : response.once('drain', more));
      more();
    };
    await using site = await startSite({ '/a': endless, '/b': says('there') });
    using bench = openBench();
    expect(valueOf(await bench.call(requestTool(bench, { url: `${site.url}/a` })))).toMatchObject({ body: 'there' });
  });
});

describe('an answer', () => {
  test('may be as long as it may be', async () => {
    await using site = await startSite({ '/': says('x'.repeat(1000)) });
    using bench = openBench();
    const tool = requestTool(bench, { url: site.url, max_bytes: 1000 });
    expect(valueOf(await bench.call(tool))['body']).toHaveLength(1000);
  });

  test('may not be a byte longer', async () => {
    await using site = await startSite({ '/': says('x'.repeat(1001)) });
    using bench = openBench();
    const tool = requestTool(bench, { url: site.url, max_bytes: 1000 });
    expect(failureOf(await bench.call(tool)).detail).toEqual({ reason: 'response_too_large' });
  });

  test('without an end is cut off', async () => {
    const endless: Route = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const more = (): void =>
        void (response.write('x'.repeat(65536)) ? setImmediate(more) : response.once('drain', more));
      more();
    };
    await using site = await startSite({ '/': endless });
    using bench = openBench();
    const failure = failureOf(await bench.call(requestTool(bench, { url: site.url })));
    expect(failure.detail).toEqual({ reason: 'response_too_large' });
  });

  test.each([
    ['gzip', gzipSync('text')],
    ['br', brotliCompressSync('text')],
    ['deflate', deflateSync('text')],
    ['identity', Buffer.from('text')],
  ])('packed as %s is unpacked', async (encoding, bytes) => {
    await using site = await startSite({ '/': says(bytes, { 'content-encoding': encoding }) });
    using bench = openBench();
    expect(valueOf(await bench.call(requestTool(bench, { url: site.url })))).toMatchObject({ body: 'text' });
  });

  test.each([
    ['to HEAD, packed', 'HEAD', 200, { 'content-encoding': 'gzip', 'content-type': 'text/html' }],
    ['to HEAD, of something that is no text', 'HEAD', 200, { 'content-type': 'image/png' }],
    ['without a body, packed', 'GET', 204, { 'content-encoding': 'br' }],
  ])('%s has an empty body', async (_, method, status, headers) => {
    await using site = await startSite({ '/': (__, response) => void response.writeHead(status, headers).end() });
    using bench = openBench();
    const value = valueOf(await bench.call(requestTool(bench, { url: site.url, method })));
    expect(value).toMatchObject({ status, body: '' });
  });

  test.each([
    ['that unpacks to too much', gzipSync('x'.repeat(5_000_000)), 'gzip', 'response_too_large'],
    ['that is not what it says', Buffer.from('plain'), 'gzip', 'network'],
    ['that is cut', gzipSync('some text').subarray(0, 15), 'gzip', 'network'],
    ['packed in an unknown way', Buffer.from('x'), 'zstd-9', 'not_text'],
  ])('%s fails', async (_, bytes, encoding, reason) => {
    await using site = await startSite({ '/': says(bytes, { 'content-encoding': encoding }) });
    using bench = openBench();
    expect(failureOf(await bench.call(requestTool(bench, { url: site.url }))).detail).toEqual({ reason });
  });

  test.each([
    ['text/plain', Buffer.from('ä€'), 'ä€'],
    ['text/plain; charset=utf-8', Buffer.from('\ufeffä'), 'ä'],
    ['text/plain; charset=ISO-8859-1', Buffer.from('ä', 'latin1'), 'ä'],
    ['text/plain;charset="windows-1252"', Buffer.from([0x80]), '€'],
    ['text/plain; charset=utf-16le', Buffer.from('ä', 'utf16le'), 'ä'],
    ['text/plain; charset=utf-8', Buffer.from('\ufeffä', 'utf16le'), 'ä'],
    ['text/plain; charset=shift_jis', Buffer.from([0x83, 0x65]), 'テ'],
    ['text/plain; charset=no-such-thing', Buffer.from('ä'), 'ä'],
    ['text/plain', Buffer.from([0xe4]), '\ufffd'],
    ['text/html', Buffer.from('<meta charset="latin1">ä', 'latin1'), '<meta charset="latin1">ä'],
    [
      'text/html',
      Buffer.from('<meta http-equiv=x content="text/html; charset=latin1">ä', 'latin1'),
      '<meta http-equiv=x content="text/html; charset=latin1">ä',
    ],
  ])('of %s is read by its charset', async (contentType, bytes, text) => {
    await using site = await startSite({ '/': says(bytes, { 'content-type': contentType }) });
    using bench = openBench();
    expect(valueOf(await bench.call(requestTool(bench, { url: site.url })))['body']).toBe(text);
  });

  test.each(['image/png', 'application/octet-stream', 'application/pdf', 'video/mp4'])(
    'that is %s is refused',
    async (type) => {
      await using site = await startSite({ '/': says('x', { 'content-type': type }) });
      using bench = openBench();
      const failure = failureOf(await bench.call(requestTool(bench, { url: site.url })));
      expect(failure).toMatchObject({ message: expect.stringContaining(type), detail: { reason: 'not_text' } });
    },
  );

  test.each(['application/json', 'application/ld+json; x=y', 'image/svg+xml', 'application/x-yaml', 'TEXT/CSV'])(
    'that is %s is text',
    async (type) => {
      await using site = await startSite({ '/': says('x', { 'content-type': type }) });
      using bench = openBench();
      expect(valueOf(await bench.call(requestTool(bench, { url: site.url })))['body']).toBe('x');
    },
  );

  test('that should be JSON and is not fails with its beginning', async () => {
    await using site = await startSite({ '/': says('<h1>Oops') });
    using bench = openBench();
    const failure = failureOf(await bench.call(requestTool(bench, { url: site.url, result: 'json' })));
    expect(failure.detail).toEqual({ reason: 'not_json', status: 200 });
    expect(failure.message).toContain('<h1>Oops');
  });
});

describe('a server that', () => {
  test('does not answer is given up at the timeout', async () => {
    await using site = await startSite({ '/': () => {} });
    using bench = openBench();
    const failure = failureOf(await bench.call(requestTool(bench, { url: site.url, timeout_seconds: 0.2 })));
    expect(failure).toMatchObject({ code: 'tool_failed', detail: { reason: 'timeout' } });
    expect(failure.message).toContain('within 0.2 s');
  });

  test('answers drop by drop is given up at the timeout', async () => {
    const drip: Route = (_, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    };
    await using site = await startSite({ '/': drip });
    using bench = openBench();
    const failure = failureOf(await bench.call(requestTool(bench, { url: site.url, timeout_seconds: 0.2 })));
    expect(failure.detail).toEqual({ reason: 'timeout' });
  });

  test('takes the connection and says nothing, TLS neither, is given up at the timeout', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    // A TCP server's address is no text.
    const { port } = silent.address() as AddressInfo;
    using bench = openBench();
    const url = `https://127.0.0.1:${port}/`;
    const failure = failureOf(await bench.call(requestTool(bench, { url, timeout_seconds: 0.2 })));
    expect(failure.detail).toEqual({ reason: 'timeout' });
    silent.close();
  });

  test.each([
    ['is not there', undefined, /ECONNREFUSED/],
    ['hangs up', ((request) => void request.socket.destroy()) satisfies Route, /.+/],
    [
      'hangs up in the middle',
      ((_, response) => {
        response.writeHead(200, { 'content-length': '100', 'content-type': 'text/plain' });
        response.write('half', () => response.destroy());
      }) satisfies Route,
      /.+/,
    ],
  ])('%s makes the call fail', async (_, route, message) => {
    const site = await startSite(route ? { '/': route } : {});
    if (!route) await site[Symbol.asyncDispose]();
    using bench = openBench();
    const failure = failureOf(await bench.call(requestTool(bench, { url: site.url })));
    expect(failure).toMatchObject({
      code: 'tool_failed',
      detail: { reason: 'network' },
      message: expect.stringMatching(message),
    });
    if (route) await site[Symbol.asyncDispose]();
  });

  test('has no name makes the call fail', async () => {
    using bench = openBench({
      lookup: (host, _, found) =>
        found(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }), []),
    });
    const failure = failureOf(await bench.call(requestTool(bench, { url: 'http://nobody.example/' })));
    expect(failure).toMatchObject({
      code: 'tool_failed',
      message: expect.stringContaining('ENOTFOUND nobody.example'),
    });
  });
});

describe('a request that is aborted', () => {
  test('is ended, and nobody is told', async () => {
    const closed = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const hang: Route = (request) => {
      request.socket.on('close', () => closed.resolve());
      asked.resolve();
    };
    await using site = await startSite({ '/': hang });
    using bench = openBench();
    const done = vi.fn<(outcome: ToolOutcome) => void>();
    const running = bench.start(requestTool(bench, { url: site.url }), {}, done);
    await asked.promise;
    running?.abort();
    running?.abort();
    await closed.promise;
    expect(done).not.toHaveBeenCalled();
  });

  test('in the line is never sent, and makes room', async () => {
    await using site = await startSite({ '/a': says('a'), '/b': says('b'), '/c': says('c') });
    using bench = openBench({ maxRequests: 1 });
    const tool = requestTool(bench, { url: `${site.url}/\${params.name}` });
    const done = vi.fn<(outcome: ToolOutcome) => void>();
    const first = bench.call(tool, { name: 'a' });
    bench.start(tool, { name: 'b' }, done)?.abort();
    await Promise.all([first, bench.call(tool, { name: 'c' })]);
    expect(site.seen).toEqual(['GET /a', 'GET /c']);
    expect(done).not.toHaveBeenCalled();
  });
});

describe('rye/web/fetch', () => {
  const fetchTool = systemTool('rye/web/fetch');

  test('reads a page as text', async () => {
    const page = '<title>Hi</title><script>x()</script><p>Read <a href="/more">more</a></p>';
    await using site = await startSite({
      '/': redirects('/page'),
      '/page': says(page, { 'content-type': 'text/html' }),
    });
    using bench = openBench();
    expect(await bench.call(fetchTool, { url: site.url })).toEqual({
      ok: true,
      value: { status: 200, url: `${site.url}/page`, content_type: 'text/html', body: 'Hi\n\nRead more (/more)' },
    });
  });

  test('leaves other text as it is', async () => {
    await using site = await startSite({ '/': says('a <b>\n\n\nc') });
    using bench = openBench();
    expect(valueOf(await bench.call(fetchTool, { url: site.url }))['body']).toBe('a <b>\n\n\nc');
  });

  test('reaches no private address unless the user allows it', async () => {
    await using site = await startSite({ '/': says('secret') });
    using bench = createToolBench();
    expect(failureOf(await bench.call(fetchTool, { url: site.url })).code).toBe('permission_denied');
  });

  test.each([{}, { url: 7 }, { url: 'http://127.0.0.1/', method: 'POST' }])('refuses the input %j', async (params) => {
    using bench = openBench();
    expect(failureOf(await bench.call(fetchTool, params)).code).toBe('tool_input_invalid');
  });
});
