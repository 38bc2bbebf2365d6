import { describe, expect, test } from 'vitest';
import { echoes, redirects, says, startSite, type Route } from './fixtures/http-site.ts';
import { failureOf, openBench, requestTool, valueOf } from './fixtures/request-tool.ts';
import { createToolBench } from './fixtures/tool-bench.ts';

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
