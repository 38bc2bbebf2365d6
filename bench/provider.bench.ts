/*
 * What a streamed model call costs: each adapter against plain `undici.request` that reads the same bytes from the same
 * server. See README.md. `node bench/provider.bench.ts [options]`
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { request } from 'undici';
import type { Provider } from '../src/core/provider.ts';
import { REQUEST } from '../test/conformance/sample-request.ts';
import { wholeNumber } from './arguments.ts';
import type { Measured } from './job.ts';
import { answerFrames, textPieces, WIRES, type BenchWire } from './provider-wires.ts';
import { printReport, saveResults } from './report.ts';
import { summarise, type Result } from './results.ts';

const USAGE = `Usage: node bench/provider.bench.ts [options]
  --wire NAME        only this one of ${Object.keys(WIRES).join(', ')}
  --calls N          calls of a run (default 1000)
  --at-once N        calls in flight (default 50)
  --chunks N         pieces of an answer, a write each (default 30)
  --runs N           runs of each, in turn, of which the median counts (default 7)
  --json             print the results as JSON`;

try {
  await main(readOptions());
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 2;
}

type Options = ReturnType<typeof readOptions>;

async function main(options: Options): Promise<void> {
  const server = fork(fileURLToPath(new URL('./provider-server.ts', import.meta.url)), [String(options.chunks)], {
    silent: true,
  });
  try {
    const [line] = await once(server.stdout ?? server, 'data');
    const origin = String(line).trim();
    const results: Result[] = [];
    for (const name of options.wires) results.push(...(await measureWire(name, origin, options)));
    if (options.wires.length === Object.keys(WIRES).length) saveResults('provider', results);
    printReport(results, [], options.json);
  } finally {
    server.disconnect();
  }
}

async function measureWire(name: string, origin: string, options: Options): Promise<Result[]> {
  const found = WIRES[name];
  if (!found) throw new Error(`There is no wire "${name}"`);
  const plainCall = plainCallOf(found, origin, options.chunks);
  const adapterCall = adapterCallOf(found.makeProvider(origin), options.chunks);
  // So that no run is the one in which the code is loaded and compiled.
  await cpuPerCall(adapterCall, options);
  await cpuPerCall(plainCall, options);
  const plain: Measured[] = [];
  const adapter: Measured[] = [];
  for (let run = 1; run <= options.runs; run++) {
    const base = await cpuPerCall(plainCall, options);
    const ours = await cpuPerCall(adapterCall, options);
    plain.push({ metrics: { cpu_per_call: base }, problems: [] });
    adapter.push({ metrics: { cpu_per_call: ours, call_ratio: ours / base }, problems: [] });
  }
  const params = { threads: 0, turns: 0, llmMs: 0, items: options.calls, variant: name };
  return [
    ...summarise({ scenario: 'provider', contender: 'skein', params, runs: adapter }),
    ...summarise({ scenario: 'provider', contender: 'undici', params, runs: plain }),
  ];
}

type Call = () => Promise<void>;

/** Reads the bytes and does nothing with them. */
function plainCallOf({ wire }: BenchWire, origin: string, chunks: number): Call {
  const body = JSON.stringify(REQUEST);
  const expected = answerFrames(wire, chunks).reduce((sum, { length }) => sum + length, 0);
  return async () => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer bench' };
    const answer = await request(`${origin}${wire.path}`, { method: 'POST', headers, body });
    let bytes = 0;
    for await (const piece of answer.body) bytes += piece.length;
    if (bytes !== expected) throw new Error(`${bytes} bytes came instead of ${expected}`);
  };
}

function adapterCallOf(provider: Provider, chunks: number): Call {
  const expected = textPieces(chunks).join('');
  return () =>
    new Promise((resolve, reject) => {
      let text = '';
      provider.call(REQUEST, {
        chunk: (chunk) => {
          if (chunk.type === 'text') text += chunk.text;
        },
        done: (response) => {
          if (text === expected && response.text === expected) resolve();
          else reject(new Error(`"${text}" came instead of the answer`));
        },
        failed: ({ type, message }) => reject(new Error(`${type}: ${message}`)),
      });
    });
}

/** In microseconds, of all threads of this process. */
async function cpuPerCall(call: Call, { calls, atOnce }: Options): Promise<number> {
  let left = calls;
  const begin = process.cpuUsage();
  const inTurn = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: atOnce }, inTurn));
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / calls;
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      wire: { type: 'string' },
      calls: { type: 'string', default: '1000' },
      'at-once': { type: 'string', default: '50' },
      chunks: { type: 'string', default: '30' },
      runs: { type: 'string', default: '7' },
      json: { type: 'boolean', default: false },
    },
  });
  return {
    wires: values.wire === undefined ? Object.keys(WIRES) : [values.wire],
    calls: wholeNumber('calls', values.calls, 1),
    atOnce: wholeNumber('at-once', values['at-once'], 1),
    chunks: wholeNumber('chunks', values.chunks, 1),
    runs: wholeNumber('runs', values.runs, 1),
    json: values.json,
  };
}
