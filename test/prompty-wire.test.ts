import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Provider } from '../src/core/provider.ts';
import { agentOf } from '../src/prompt/prompty/fixtures/agent.ts';
import { createPrompty, type PromptyInputs } from '../src/prompty.ts';
import { createAnthropicProvider } from '../src/providers/anthropic.ts';
import { createGeminiProvider } from '../src/providers/gemini.ts';
import { createOpenaiResponsesProvider } from '../src/providers/openai-responses.ts';
import { createOpenaiProvider } from '../src/providers/openai.ts';
import { startLlmServer, type LlmServer } from '../src/testing.ts';
import { createHandClock } from './conformance/hand-clock.ts';
import { createRecordingSink } from './conformance/recording-sink.ts';

/* From a template to the bytes of a request: what a nonce stood for is where the template had it (S4 "Resolution Point"). */

const PNG = 'iVBORw0KGgo=';
const PDF = 'JVBERi0x';
const MP3 = 'SUQzBAAA';
const AGENT = agentOf('system:\nBe brief.\n{{ past }}\nuser:\nTake {{ it }}.', [
  { name: 'past', kind: 'thread' },
  { name: 'it', kind: 'file' },
]);

let server: LlmServer;
beforeAll(async () => {
  server = await startLlmServer({ script: { rules: [{ text: 'seen' }] } });
});
afterAll(() => server.close());

const key = { apiKey: 'key', clock: createHandClock() };
const WIRES = {
  anthropic: () => createAnthropicProvider({ ...key, baseUrl: server.origin }),
  chat: () => createOpenaiProvider({ ...key, baseUrl: `${server.origin}/v1` }),
  responses: () => createOpenaiResponsesProvider({ ...key, baseUrl: `${server.origin}/v1` }),
  gemini: () => createGeminiProvider({ ...key, baseUrl: server.origin }),
} satisfies Record<string, () => Provider>;

type Wire = keyof typeof WIRES;

/** What a provider is sent of the prompt with this input. */
async function sent(wire: Wire, kind: 'image' | 'file' | 'audio', inputs: PromptyInputs): Promise<unknown> {
  const prompty = createPrompty();
  const inputsOf = AGENT.inputs.map((input) => (input.name === 'it' ? { ...input, kind } : input));
  const { system, messages } = prompty.toConversation(prompty.prepare({ ...AGENT, inputs: inputsOf }, inputs));
  const thread = { directive: 'd', turn: 1 };
  const sink = createRecordingSink();
  const sizes = { maxOutputTokens: 64, inputTokens: 10 };
  WIRES[wire]().call({ model: 'm', system, messages, tools: [], ...sizes, thread }, sink);
  expect(await sink.ended).toMatchObject({ done: { text: 'seen' } });
  return server.requests().at(-1)?.body;
}

const FILE = { value: PDF, name: 'a.pdf' };
const AUDIO = { value: MP3, mediaType: 'audio/mpeg' };

describe('What a nonce stands for reaches the wire, in the middle of its message', () => {
  test.each<[wire: Wire, kind: 'image' | 'file' | 'audio', it: unknown, part: object]>([
    ['anthropic', 'image', PNG, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }],
    [
      'anthropic',
      'file',
      FILE,
      { type: 'document', title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: PDF } },
    ],
    ['chat', 'image', PNG, { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }],
    [
      'chat',
      'file',
      FILE,
      { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
    ],
    ['chat', 'audio', AUDIO, { type: 'input_audio', input_audio: { data: MP3, format: 'mp3' } }],
    ['responses', 'image', PNG, { type: 'input_image', image_url: `data:image/png;base64,${PNG}` }],
    [
      'responses',
      'file',
      FILE,
      { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` },
    ],
    ['gemini', 'image', PNG, { inlineData: { mimeType: 'image/png', data: PNG } }],
    ['gemini', 'file', FILE, { inlineData: { mimeType: 'application/pdf', data: PDF } }],
    ['gemini', 'audio', AUDIO, { inlineData: { mimeType: 'audio/mpeg', data: MP3 } }],
  ])('%s: %s %j', async (wire, kind, it, part) => {
    const past = [
      { role: 'user', content: 'before' },
      { role: 'assistant', content: 'yes' },
    ];
    const body = await sent(wire, kind, { it, past });
    expect(partsOf(wire, body)).toMatchObject([{ text: 'Take ' }, part, { text: '.' }]);
    const text = JSON.stringify(body);
    for (const said of ['Be brief.', 'before', 'yes']) expect(text).toContain(said);
    expect(text).not.toContain('__PROMPTY_');
  });
});

/** The parts of the last message. */
function partsOf(wire: Wire, body: unknown): unknown {
  // What the adapters send; the assertions look at it.
  const { messages, input, contents } = body as Record<string, readonly { content?: unknown; parts?: unknown }[]>;
  const last = (messages ?? input ?? contents)?.at(-1);
  return wire === 'gemini' ? last?.parts : last?.content;
}
