/*
 * Child process of no-handles.test.ts: loads the clients of models and reads the trusted key in argv[2] while there are no file
 * handles, and again once there are some. Prints what came of it, and how often the key was other than before and warned of.
 */
import { closeSync, writeSync } from 'node:fs';
import { codeOf } from '../../src/core/code-of.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { Provider } from '../../src/core/provider.ts';
import { createKeySet } from '../../src/items/signature/key-set.ts';
import { createAnthropicProvider } from '../../src/providers/anthropic.ts';
import { createGeminiProvider } from '../../src/providers/gemini.ts';
import { createFetch } from '../../src/providers/http-fetch.ts';
import { createOpenaiProvider } from '../../src/providers/openai.ts';
import { createRecordingSink } from '../conformance/recording-sink.ts';
import { REQUEST } from '../conformance/sample-request.ts';
import { takeHandles } from './take-handles.ts';

/** Where nobody listens: what has a client is refused there. */
const SERVER = 'http://127.0.0.1:9';

async function call(provider: Provider): Promise<unknown> {
  const sink = createRecordingSink();
  provider.call(REQUEST, sink);
  const end = await sink.ended;
  return 'failed' in end ? end.failed.code : 'an answer';
}

async function request(fetch: ReturnType<typeof createFetch>): Promise<unknown> {
  try {
    return (await fetch(SERVER)).status;
  } catch (thrown) {
    return codeOf(thrown);
  }
}

const common = { apiKey: 'a-key', baseUrl: SERVER, clock: systemClock };
const providers = [createAnthropicProvider, createGeminiProvider, createOpenaiProvider].map((create) => create(common));
const fetch = createFetch();

let time = 0;
let warnings = 0;
const files = process.argv.slice(2);
const trusted = createKeySet(() => files, { now: () => time, onWarning: () => warnings++ });

async function tryAll(): Promise<void> {
  const came = [...(await Promise.all(providers.map(call))), await request(fetch), trusted.keys().size];
  writeSync(1, `${came.join(' ')}\n`);
}

const handles = takeHandles();
await tryAll();
time += 1000;
trusted.keys();
for (const handle of handles) closeSync(handle);
time += 1000;
await tryAll();
writeSync(1, `${trusted.revision()} ${warnings}\n`);
process.exit();
