import { fork } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'undici';
import type { Provider } from '../../src/core/provider.ts';
import { REQUEST } from '../../test/conformance/sample-request.ts';
import { sizesOr, wantsAll, type Job, type Measured, type Scenario } from '../job.ts';
import { measureCpu } from '../phase.ts';
import { answerFrames, textPieces, WIRES, type BenchWire } from '../provider-wires.ts';
import { sibling } from '../sibling.ts';

/** Pieces of an answer, a write each. */
const CHUNKS = 30;
/** Calls in flight. */
const AT_ONCE = 50;
/** Wires that are measured where it is not to take long: one of each SDK. */
const USUAL = ['anthropic', 'openai'];

/**
 * A streamed model call: each adapter, with its real SDK, against `undici.request`, which reads the same bytes of the same
 * server and does nothing with them. The server is another process. Adapters run in workers, so no host takes part.
 */
export const stream: Scenario = {
  name: 'stream',
  contenders: ['skein', 'undici'],
  isWorker: true,
  cases: ({ threads, isLong }) =>
    sizesOr(threads, [1_000]).flatMap((calls) =>
      (wantsAll({ threads, isLong }) ? Object.keys(WIRES) : USUAL).map((variant) => ({
        threads: 0,
        turns: 0,
        llmMs: 0,
        items: calls,
        variant,
      })),
    ),
  measure,
};

type Call = () => Promise<void>;

async function measure({ contender, params }: Job): Promise<Measured> {
  const { items: calls = 0, variant = '' } = params;
  const wire = WIRES[variant];
  if (!wire) throw new Error(`There is no wire "${variant}"`);
  const server = fork(sibling('../provider-server', import.meta), [String(CHUNKS)], { silent: true, execArgv: [] });
  try {
    const [line] = await once(server.stdout ?? server, 'data');
    const origin = String(line).trim();
    const call = contender === 'skein' ? adapterCallOf(wire.makeProvider(origin)) : plainCallOf(wire, origin);
    await callAll(call, calls);
    const { cpuUs } = await measureCpu(() => callAll(call, calls));
    return { metrics: { cpu_per_call: cpuUs / calls }, problems: [] };
  } finally {
    server.disconnect();
  }
}

async function callAll(call: Call, calls: number): Promise<void> {
  let left = calls;
  const inTurn = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, inTurn));
}

/** Reads the bytes and does nothing with them. */
function plainCallOf({ wire }: BenchWire, origin: string): Call {
  const body = JSON.stringify(REQUEST);
  const expected = answerFrames(wire, CHUNKS).reduce((sum, { length }) => sum + length, 0);
  return async () => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer bench' };
    const answer = await request(`${origin}${wire.path}`, { method: 'POST', headers, body });
    let bytes = 0;
    for await (const piece of answer.body) bytes += piece.length;
    if (bytes !== expected) throw new Error(`${bytes} bytes came instead of ${expected}`);
  };
}

function adapterCallOf(provider: Provider): Call {
  const expected = textPieces(CHUNKS).join('');
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
