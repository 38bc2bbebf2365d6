import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import { createRecordingSink } from '../../test/conformance/recording-sink.ts';
import { REQUEST } from '../../test/conformance/sample-request.ts';
import type { Message } from '../core/conversation.ts';
import type { ModelResponse, Provider } from '../core/provider.ts';
import { createAnthropicProvider } from './anthropic.ts';
import { createGeminiProvider } from './gemini.ts';
import { createOpenaiResponsesProvider } from './openai-responses.ts';
import { createOpenaiProvider } from './openai.ts';
import { startLlmServer, type LlmServer } from './server/llm-server.ts';

/** Some servers number the calls of each answer anew. */
const CALLS = ['functions.read:0', 'functions.read:1'].map((id) => ({ name: 'read', id, input: { path: id } }));

const ADAPTERS: Readonly<Record<string, (origin: string) => Provider>> = {
  anthropic: (baseUrl) => createAnthropicProvider({ apiKey: 'a-key', baseUrl, clock: createHandClock() }),
  chat: (origin) => createOpenaiProvider({ apiKey: 'a-key', baseUrl: `${origin}/v1`, clock: createHandClock() }),
  responses: (origin) =>
    createOpenaiResponsesProvider({ apiKey: 'a-key', baseUrl: `${origin}/v1`, clock: createHandClock() }),
  gemini: (baseUrl) => createGeminiProvider({ apiKey: 'a-key', baseUrl, clock: createHandClock() }),
};

let server: LlmServer;

beforeAll(async () => {
  const rules = [
    { turn: 4, text: 'done' },
    { reasoning: 'Let me see.', text: 'I read.', tool_calls: CALLS },
  ];
  server = await startLlmServer({ script: { rules } });
});
afterAll(() => server.close());

async function ask(name: string, messages: readonly Message[]): Promise<ModelResponse> {
  const sink = createRecordingSink();
  ADAPTERS[name]?.(server.origin).call({ ...REQUEST, messages, reasoning: { effort: 'low' } }, sink);
  const ended = await sink.ended;
  if ('done' in ended) return ended.done;
  throw new Error(ended.failed.message);
}

test.each(Object.keys(ADAPTERS))(
  'Calls that a server of %s names as those before have ids of their own',
  async (name) => {
    const messages: Message[] = [{ role: 'user', text: 'Read both.' }];
    const ids: string[] = [];
    for (let turn = 0; turn < 3; turn++) {
      const { text, toolCalls, carry } = await ask(name, messages);
      const results = toolCalls.map(({ id }): Message => ({ role: 'tool', callId: id, text: id, isError: false }));
      messages.push({ role: 'assistant', text, toolCalls, carry }, ...results);
      ids.push(...toolCalls.map(({ id }) => id));
    }
    expect(ids.slice(0, 2)).toEqual(CALLS.map(({ id }) => id));
    expect(new Set(ids).size).toBe(6);
    // Whoever goes on takes the conversation, the provider itself too.
    for (const other of Object.keys(ADAPTERS)) expect(await ask(other, messages)).toMatchObject({ text: 'done' });
  },
);
