import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { collectGarbage } from '../../bench/garbage.ts';
import { watchHost } from '../../bench/host-probe.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { Provider } from '../../src/core/provider.ts';
import { createAnthropicProvider } from '../../src/providers/anthropic.ts';
import { createGeminiProvider } from '../../src/providers/gemini.ts';
import { createOpenaiProvider } from '../../src/providers/openai.ts';
import { createOpenaiResponsesProvider } from '../../src/providers/openai-responses.ts';
import { createRecordingSink } from '../conformance/recording-sink.ts';
import { REQUEST } from '../conformance/sample-request.ts';
import { slowness } from '../fixtures/cost-of.ts';

const STREAMS = 1000;
/** As long as the host's tasks may be, in milliseconds of CPU. */
const MAX_TASK_MS = 20;

const ADAPTERS: Readonly<Record<string, (origin: string) => Provider>> = {
  anthropic: (baseUrl) => createAnthropicProvider({ apiKey: 'test', clock: systemClock, baseUrl }),
  'openai, chat': (origin) => createOpenaiProvider({ apiKey: 'test', clock: systemClock, baseUrl: `${origin}/v1` }),
  'openai, responses': (origin) =>
    createOpenaiResponsesProvider({ apiKey: 'test', clock: systemClock, baseUrl: `${origin}/v1` }),
  gemini: (baseUrl) => createGeminiProvider({ apiKey: 'test', clock: systemClock, baseUrl }),
};

describe.each(Object.entries(ADAPTERS))('%s', (name, make) => {
  test('a thousand streams in flight at the same time are all answered', async () => {
    // None of them is answered before all of them are there.
    await using server = await startServer(String(STREAMS));
    const provider = make(server.origin);
    const before = process.memoryUsage();
    const sinks = callAll(provider).map(({ sink }) => sink);
    await Promise.all(sinks.map(({ begun }) => begun));
    const inFlight = process.memoryUsage();
    const ends = await Promise.all(sinks.map(({ ended }) => ended));
    expect(ends.filter((end) => 'failed' in end)).toEqual([]);
    expect(new Set(sinks.map((sink) => sink.text())).size).toBe(1);
    const perStream = (key: 'rss' | 'heapUsed'): string =>
      `${((inFlight[key] - before[key]) / STREAMS / 1024).toFixed(0)} KB`;
    console.log(`${name}: a stream in flight takes ${perStream('heapUsed')} of heap, ${perStream('rss')} of RSS`);
  });

  test('a thousand streams are cancelled without keeping the event loop', async () => {
    await using server = await startServer('hold');
    const provider = make(server.origin);
    const calls = callAll(provider);
    await Promise.all(calls.map(({ sink }) => sink.begun));
    await collectGarbage();
    const watch = watchHost();
    const startedAt = performance.now();
    for (const { call } of calls) call.abort();
    const calledAfter = performance.now() - startedAt;
    await server.connectionsGone;
    const goneAfter = performance.now() - startedAt;
    const { max } = watch.stop();
    console.log(
      `${name}: ${STREAMS} aborts called in ${calledAfter.toFixed(0)} ms, connections gone after ${goneAfter.toFixed(0)} ms, longest task ${max.toFixed(1)} ms`,
    );
    expect(calls.flatMap(({ sink }) => sink.ends)).toEqual([]);
    expect(max / slowness()).toBeLessThan(MAX_TASK_MS);
  });
});

function callAll(provider: Provider) {
  return Array.from({ length: STREAMS }, () => {
    const sink = createRecordingSink();
    return { sink, call: provider.call(REQUEST, sink) };
  });
}

async function startServer(together: string) {
  const server = fork(fileURLToPath(new URL('./stream-server.ts', import.meta.url)), [together, String(STREAMS)], {
    silent: true,
  });
  server.stderr?.pipe(process.stderr);
  const [line] = await once(server.stdout ?? server, 'data');
  return {
    origin: String(line).trim(),
    connectionsGone: once(server, 'message'),
    [Symbol.asyncDispose]: async () => {
      const gone = once(server, 'exit');
      server.disconnect();
      await gone;
    },
  };
}
