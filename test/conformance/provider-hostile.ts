import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { watchHost } from '../../bench/host-probe.ts';
import type { Scenario } from './model-scenario.ts';
import { start, TIMEOUTS, type MakeSubject } from './provider-run.ts';
import { createRecordingSink } from './recording-sink.ts';
import { REQUEST } from './sample-request.ts';

type Hostile = Extract<Scenario, { kind: 'hostile' }>;

/** Longest answer that {@link describeGuards} lets through; what makes a provider there gives it to its `fetch`. */
export const BODY_CAP = 6 * 1024 * 1024;

const HTML = '<!doctype html>\n<html><title>Sign in</title></html>\n';

function hostile(fields: Partial<Hostile>): Hostile {
  return { kind: 'hostile', bytes: [], ending: 'end', ...fields };
}

/** Servers, and what stands between, that send what no provider sends. None of it is ever an answer. */
export function describeHostileServers(make: MakeSubject): void {
  test.each<[string, Hostile]>([
    ['a line of garbage', hostile({ begun: ['Hel'], bytes: ['\u0000\u0001 what\n\n'] })],
    ['an event whose JSON is cut', hostile({ begun: ['Hel'], bytes: ['data: {"type": "message_st\n\n'] })],
    ['bytes that are no text', hostile({ begun: ['Hel'], bytes: [new Uint8Array([0xff, 0xfe, 0x0a, 0x0a])] })],
    [
      'a chunk that is shorter than it says',
      hostile({ begun: ['Hel'], raw: true, bytes: ['ff\r\nab'], ending: 'drop' }),
    ],
    ['a chunk without a length', hostile({ begun: ['Hel'], raw: true, bytes: ['zz\r\n\r\n'], ending: 'stall' })],
    ['nothing but headers', hostile({ ending: 'end' })],
    ['headers and a dropped connection', hostile({ ending: 'drop' })],
  ])('%s', async (_title, scenario) => {
    await using run = await start(make, scenario);
    const failure = await run.failed();
    expect(failure.type).toBe('ConnectionError');
    expect(failure.code).toBeDefined();
    expect(run.sink.ends).toHaveLength(1);
    expect(run.clock.pending()).toBe(0);
  });

  test('headers alone are not a first byte', async () => {
    await using run = await start(make, hostile({ ending: 'stall' }));
    await run.subject.server?.answered;
    await run.settleDown();
    run.clock.advance(TIMEOUTS.firstByteMs);
    expect(await run.failed()).toMatchObject({ type: 'TimeoutError', code: 'first_byte_timeout' });
    await run.subject.server?.closed;
  });

  test('a page instead of a stream', async () => {
    await using run = await start(make, hostile({ headers: { 'content-type': 'text/html' }, bytes: [HTML] }));
    expect(await run.failed()).toMatchObject({ type: 'InvalidResponseError', code: 'not_an_event_stream' });
  });

  test('an error that comes as an answer', async () => {
    const body = JSON.stringify({ error: { type: 'server_error', message: 'it broke', code: null } });
    await using run = await start(make, hostile({ headers: { 'content-type': 'application/json' }, bytes: [body] }));
    expect(await run.failed()).toMatchObject({ type: 'server_error', message: 'it broke', statusCode: 500 });
  });

  test('an error that stands between events', async () => {
    const error = JSON.stringify({ error: { type: 'server_error', message: 'it broke', code: null } }, null, 2);
    await using run = await start(make, hostile({ begun: ['Hel'], bytes: [error] }));
    expect(await run.failed()).toMatchObject({ type: 'server_error', message: 'it broke', statusCode: 500 });
  });

  test("a proxy's error page: its status, and not all of its text", async () => {
    const page = `${HTML}${'<!-- padding -->'.repeat(10_000)}`;
    await using run = await start(
      make,
      hostile({ status: 502, headers: { 'content-type': 'text/html' }, bytes: [page] }),
    );
    const failure = await run.failed();
    expect(failure.statusCode).toBe(502);
    expect(failure.message.length).toBeLessThan(2100);
    expect(run.subject.server?.requests).toHaveLength(1);
  });

  test('a hundred calls aborted at once: every connection is closed, nothing is delivered', async () => {
    await using run = await start(make, { kind: 'broken_text', ending: 'stall', texts: ['Hel'] });
    const others = Array.from({ length: 99 }, () => {
      const sink = createRecordingSink();
      return { sink, call: run.subject.provider.call(REQUEST, sink) };
    });
    const all = [{ sink: run.sink, call: run.call }, ...others];
    await Promise.all(all.map(({ sink }) => sink.begun));
    const before = all.map(({ sink }) => sink.chunks.length);
    for (const { call } of all) call.abort();
    await run.subject.server?.closedAll(100);
    await run.settleDown();
    expect(all.map(({ sink }) => sink.chunks.length)).toEqual(before);
    expect(all.flatMap(({ sink }) => sink.ends)).toEqual([]);
    expect(run.clock.pending()).toBe(0);
  });
}

/** Has a line of 20 MB refused; the longest task of that, CPU in ms. */
async function refuseLongLine(make: MakeSubject): Promise<number> {
  const piece = Buffer.alloc(1024 * 1024, 'x');
  const watch = watchHost();
  await using run = await start(
    make,
    hostile({ begun: ['Hel'], bytes: ['data: "', ...Array.from({ length: 20 }, () => piece)], ending: 'stall' }),
  );
  const failure = await run.failed();
  expect(failure).toMatchObject({ type: 'InvalidResponseError', code: 'answer_too_large' });
  expect(failure.message).toMatch(/^a line of the answer is longer/);
  await run.subject.server?.closed;
  return watch.stop().max;
}

/** What our own `fetch` refuses; the platform's would follow, unpack or read on. */
export function describeGuards(make: MakeSubject): void {
  describe('behind our own fetch', () => {
    test('a line of 20 MB is refused, and nothing waits for it', async () => {
      // A collection of the test's own heap falls into one of them at times.
      const longest = [await refuseLongLine(make), await refuseLongLine(make), await refuseLongLine(make)];
      expect(Math.min(...longest)).toBeLessThan(50);
    });

    test('an answer that does not end is refused at its limit', async () => {
      const piece = `: ${'x'.repeat(1021)}\n`.repeat(1024);
      await using run = await start(
        make,
        hostile({ begun: ['Hel'], bytes: Array.from({ length: 8 }, () => piece), ending: 'stall' }),
      );
      const failure = await run.failed();
      expect(failure).toMatchObject({ type: 'InvalidResponseError', code: 'answer_too_large' });
      expect(failure.message).toMatch(/^the answer is longer/);
      await run.subject.server?.closed;
    });

    test('no packed answer is asked for, and none is taken', async () => {
      const bytes = [gzipSync('data: {}\n\n')];
      await using run = await start(make, hostile({ headers: { 'content-encoding': 'gzip' }, bytes }));
      expect(await run.failed()).toMatchObject({ type: 'InvalidResponseError', code: 'not_an_event_stream' });
      expect(run.subject.server?.requests[0]?.headers['accept-encoding']).toBe('identity');
    });

    test('a redirect is a failure, and the key goes nowhere else', async () => {
      await using run = await start(make, hostile({ status: 307, headers: { location: '/elsewhere' } }));
      expect(await run.failed()).toMatchObject({ statusCode: 307 });
      expect(run.subject.server?.requests).toHaveLength(1);
    });
  });
}
