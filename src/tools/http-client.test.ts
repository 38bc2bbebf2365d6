import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { echoes, redirects, says, startSite, type Route } from './fixtures/http-site.ts';
import { failureOf, openBench, requestTool, valueOf } from './fixtures/request-tool.ts';
import { createToolBench, systemTool } from './fixtures/tool-bench.ts';
import type { ToolOutcome } from '../core/tool.ts';

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

  test.each<[unknown, string]>([
    [{ key: '${env.API_KEY}' }, '${env.API_KEY} is no variable here; there are ${params.*}, and variables of the'],
    ['x=${param.x}', '${param.x} is no variable here; there are ${params.*} (and $$ for a $)'],
    [[{ deep: 'a ${project_path}' }], '${project_path} is no variable here'],
  ])('is not sent with the body %j, which would be sent without what it names', async (body, message) => {
    await using site = await startSite({});
    using bench = openBench();
    const config = { method: 'POST', url: site.url, body, env: ['API_KEY'] };
    expect(failureOf(await bench.call(requestTool(bench, config), { x: 1 }))).toMatchObject({
      code: 'invalid_item',
      message: expect.stringContaining(message),
      where: { path: 'config.body' },
    });
    expect(site.connections()).toBe(0);
  });

  test('can hold a dollar in its body', async () => {
    await using site = await startSite({ '/': echoes });
    using bench = openBench();
    const tool = requestTool(bench, { method: 'POST', url: site.url, body: '$${env.X} $5', result: 'json' });
    expect(valueOf(await bench.call(tool))['body']).toMatchObject({ body: '${env.X} $5' });
  });

  test.each([[[{ id: 'a' }, { name: 'b' }]], [{ items: [{ id: 'a' }, { id: 'a', n: 1 }] }]])(
    'is sent as it is written, also with ids in it: %j',
    async (body) => {
      await using site = await startSite({ '/': echoes });
      using bench = openBench();
      const tool = requestTool(bench, { method: 'POST', url: site.url, body, result: 'json' });
      expect(valueOf(await bench.call(tool))['body']).toMatchObject({ body: JSON.stringify(body) });
    },
  );

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
      value: {
        status: 200,
        url: `${site.url}/page`,
        content_type: 'text/html',
        title: 'Hi',
        body: 'Hi\n\nRead more (/more)',
      },
    });
  });

  test.each([
    ['application/xhtml+xml; charset=utf-8', 'one\ntwo'],
    ['text/html', 'one'],
  ])('takes %s for what it is', async (type, body) => {
    const page = '<p>one</p><script src="x"/>two<script>x()</script>';
    await using site = await startSite({ '/': says(page, { 'content-type': type }) });
    using bench = openBench();
    expect(valueOf(await bench.call(fetchTool, { url: site.url }))['body']).toBe(body);
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
