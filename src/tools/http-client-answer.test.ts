import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { says, startSite, type Route } from './fixtures/http-site.ts';
import { failureOf, openBench, requestTool, valueOf } from './fixtures/request-tool.ts';

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

  test('that is JSON keeps the digits of its numbers', async () => {
    await using site = await startSite({ '/': says('{"id":1765432109876543211,"n":1.50}') });
    using bench = openBench();
    const value = valueOf(await bench.call(requestTool(bench, { url: site.url, result: 'json' })));
    expect(value['body']).toEqual({ id: '1765432109876543211', n: 1.5 });
  });

  test('that should be JSON and is not fails with its beginning', async () => {
    await using site = await startSite({ '/': says('<h1>Oops') });
    using bench = openBench();
    const failure = failureOf(await bench.call(requestTool(bench, { url: site.url, result: 'json' })));
    expect(failure.detail).toEqual({ reason: 'not_json', status: 200 });
    expect(failure.message).toContain('<h1>Oops');
  });
});
