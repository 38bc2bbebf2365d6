/*
 * Requests a second of CPU that the scripted model's HTTP server answers: 4 KB in, 30 chunks out, each wire format in turn.
 * The clients run in another process; what counts is this one's CPU. `node bench/llm-server.bench.ts [requests per format]`
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startLlmServer } from '../src/providers/server/llm-server.ts';
import type { LlmLoad } from './llm-load-job.ts';

const TEXT = 'word '.repeat(800);
const MODEL = 'bench';
const OUTPUT_TOKENS = 1000;
const messages = [{ role: 'user', content: TEXT }];

const FORMATS: Readonly<Record<string, readonly [path: string, body: object]>> = {
  'Anthropic Messages': ['/v1/messages', { model: MODEL, max_tokens: OUTPUT_TOKENS, messages, stream: true }],
  'OpenAI Chat Completions': [
    '/v1/chat/completions',
    { model: MODEL, messages, stream: true, stream_options: { include_usage: true } },
  ],
  'OpenAI Responses': ['/v1/responses', { model: MODEL, input: messages, stream: true }],
  Gemini: [
    `/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`,
    { contents: [{ role: 'user', parts: [{ text: TEXT }] }] },
  ],
};

const requests = Number(process.argv[2] ?? 10_000);
const script = { rules: [{ text: 'The answer is of some length. '.repeat(30), chunks: 30 }] };
await using server = await startLlmServer({ script, keepRequests: 0 });
for (const [name, [path, body]] of Object.entries(FORMATS)) {
  const load = { origin: server.origin, path, body: JSON.stringify(body), warmUp: 3000, requests, connections: 32 };
  const { cpuSeconds, seconds } = await measure(load);
  const perCpuSecond = Math.round(requests / cpuSeconds);
  const micros = ((cpuSeconds / requests) * 1e6).toFixed(0);
  console.log(
    `${name}: ${perCpuSecond} requests per CPU second (${micros} µs each), ${Math.round(requests / seconds)}/s`,
  );
}

async function measure(load: LlmLoad): Promise<{ readonly cpuSeconds: number; readonly seconds: number }> {
  const child = fork(fileURLToPath(new URL('./llm-load.ts', import.meta.url)), [JSON.stringify(load)]);
  const ended = once(child, 'exit');
  await told(child, 'ready');
  const [cpu, startedAt] = [process.cpuUsage(), performance.now()];
  child.send('go');
  await told(child, 'done');
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - startedAt) / 1000;
  await ended;
  return { cpuSeconds: (user + system) / 1e6, seconds };
}

async function told(child: ChildProcess, word: string): Promise<void> {
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (message !== word) throw new Error(`The clients ended with ${message} before they were ${word}`);
}
