import { afterEach, expect, test, vi } from 'vitest';
import { anthropicWire } from '../../test/conformance/anthropic-wire.ts';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import type { Scenario, Wire } from '../../test/conformance/model-scenario.ts';
import { startModelServer } from '../../test/conformance/model-server.ts';
import { openaiWire } from '../../test/conformance/openai-wire.ts';
import { createRecordingSink } from '../../test/conformance/recording-sink.ts';
import { REQUEST } from '../../test/conformance/sample-request.ts';
import { NO_USAGE, type Provider } from '../core/provider.ts';
import { createAnthropicProvider } from './anthropic.ts';
import { createOpenaiProvider } from './openai.ts';

const CLOCK = { clock: createHandClock() };
const ANSWER: Scenario = { kind: 'answer', texts: ['Hi'], toolCalls: [], usage: NO_USAGE, finish: 'stop' };
/** Headers of one's own, and some that the SDKs send themselves. */
const SET = [
  'X-Corp: for one server alone',
  'Authorization: Bearer theirs',
  'authorization: Bearer theirs',
  'X-Api-Key: theirs',
  'anthropic-version: theirs',
  'no header',
].join('\n');

afterEach(() => vi.unstubAllEnvs());

async function headersSent(wire: Wire, make: (origin: string) => Provider): Promise<Record<string, unknown>> {
  await using server = await startModelServer(wire, ANSWER);
  const sink = createRecordingSink();
  make(server.origin).call(REQUEST, sink);
  expect(await sink.ended).toMatchObject({ done: { text: 'Hi' } });
  return { ...server.requests[0]?.headers };
}

test.each<[string, string, Wire, (origin: string) => Provider, Record<string, string>]>([
  [
    'OpenAI with a key',
    'OPENAI_CUSTOM_HEADERS',
    openaiWire,
    (origin) => createOpenaiProvider({ ...CLOCK, apiKey: 'mine', baseUrl: `${origin}/v1` }),
    { authorization: 'Bearer mine' },
  ],
  [
    'OpenAI without a key',
    'OPENAI_CUSTOM_HEADERS',
    openaiWire,
    (origin) => createOpenaiProvider({ ...CLOCK, baseUrl: `${origin}/v1` }),
    {},
  ],
  [
    'Anthropic',
    'ANTHROPIC_CUSTOM_HEADERS',
    anthropicWire,
    (origin) => createAnthropicProvider({ ...CLOCK, apiKey: 'mine', baseUrl: origin }),
    { authorization: 'Bearer mine' },
  ],
])('%s is not sent what %s says', async (_title, variable, wire, make, keys) => {
  vi.stubEnv(variable, '');
  const plain = await headersSent(wire, make);
  vi.stubEnv(variable, SET);
  const sent = await headersSent(wire, make);
  expect({ ...sent, host: '' }).toEqual({ ...plain, host: '' });
  expect(sent).toMatchObject(keys);
});
