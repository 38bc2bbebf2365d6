import { expect, test } from 'vitest';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import { createRecordingSink } from '../../test/conformance/recording-sink.ts';
import { REQUEST } from '../../test/conformance/sample-request.ts';
import type { Message } from '../core/conversation.ts';
import { createOpenaiProvider } from './openai.ts';

type Fields = Readonly<Record<string, unknown>>;
type Answer = Extract<Message, { role: 'assistant' }>;
type Sent = { readonly messages: readonly (Fields & { readonly role: string })[] };

const CALL = { index: 0, id: 'c', function: { name: 'read', arguments: '{}' } };
const THOUGHT = [{ reasoning_content: 'Let me ' }, { reasoning_content: 'see.', content: '' }, { content: 'Done.' }];
const DEEPSEEK = 'https://api.deepseek.com';
const SAID: Answer = { role: 'assistant', text: 'Done.', toolCalls: [] };
const carried = (provider: string): Answer => ({
  ...SAID,
  carry: { provider, parts: [{ reasoning_content: 'Let me see.' }] },
});

/** Sends messages to a server, which answers with these deltas: the answers among them as it got them, and its own. */
async function ask(baseUrl: string, messages: readonly Message[], deltas: readonly Fields[] = [{ content: 'x' }]) {
  const sent = Promise.withResolvers<Sent>();
  const events = [...deltas.map((delta) => ({ delta })), { finish_reason: 'stop' }];
  const stream = events.map((choice) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`);
  const fetch = (_url: unknown, init?: RequestInit): Promise<Response> => {
    sent.resolve(JSON.parse(typeof init?.body === 'string' ? init.body : '{}') as Sent);
    return Promise.resolve(new Response(stream.join('')));
  };
  const sink = createRecordingSink();
  const provider = createOpenaiProvider({ id: 'mine', apiKey: 'a-key', baseUrl, fetch, clock: createHandClock() });
  provider.call({ ...REQUEST, messages }, sink);
  const answers = (await sent.promise).messages.filter(({ role }) => role === 'assistant');
  const end = await sink.ended;
  if (!('done' in end)) throw new Error(JSON.stringify(end));
  const { text, toolCalls, carry } = end.done;
  // As it is when it was read back from the log.
  return { answers, said: JSON.parse(JSON.stringify({ role: 'assistant', text, toolCalls, carry })) as Message };
}

test.each([
  DEEPSEEK,
  'https://api.deepseek.com/v1',
  'https://api.moonshot.ai/v1',
  'https://api.moonshot.cn/v1',
  'https://api.kimi.com/coding/v1',
  'https://api.xiaomimimo.com/v1',
])('%s gets back what its model thought, and something with every other answer', async (baseUrl) => {
  const { said } = await ask(baseUrl, [], THOUGHT);
  const { answers } = await ask(baseUrl, [said, SAID]);
  expect(answers).toEqual([
    { role: 'assistant', content: 'Done.', reasoning_content: 'Let me see.' },
    { role: 'assistant', content: 'Done.', reasoning_content: '.' },
  ]);
});

test.each([
  'https://api.openai.com/v1',
  'https://me.openai.azure.com/openai/v1',
  'http://127.0.0.1:1/v1',
  'https://openrouter.ai/api/v1',
  'https://api.deepseek.com.example/v1',
  'https://my-deepseek.com/v1',
])('%s gets nothing of it back, and nothing is kept', async (baseUrl) => {
  const { said } = await ask(baseUrl, [], THOUGHT);
  expect(said).toEqual(SAID);
  const { answers } = await ask(baseUrl, [said, carried('mine/chat')]);
  expect(answers).toEqual([
    { role: 'assistant', content: 'Done.' },
    { role: 'assistant', content: 'Done.' },
  ]);
});

test.each<[string, readonly Fields[]]>([
  ['a call', [{ reasoning_content: 'Let me see.' }, { tool_calls: [CALL] }]],
  ['a call and another name of the field', [{ reasoning: 'Let me see.' }, { tool_calls: [CALL] }]],
])('what a model thought goes back with %s', async (_title, deltas) => {
  const { said } = await ask(DEEPSEEK, [], deltas);
  const { answers } = await ask(DEEPSEEK, [said]);
  expect(answers).toMatchObject([{ content: null, tool_calls: [{ id: 'c' }], reasoning_content: 'Let me see.' }]);
});

test.each<[string, Message]>([
  ['of another provider', carried('other/chat')],
  ['without a thought', SAID],
  ['with calls and without a thought', { ...SAID, toolCalls: [{ id: 'c', name: 'read', input: {} }] }],
])('an answer %s has a placeholder, which is not empty', async (_title, message) => {
  const { answers } = await ask(DEEPSEEK, [message]);
  expect(answers).toMatchObject([{ content: 'Done.', reasoning_content: '.' }]);
});

test('of an answer whose thought is empty nothing is kept', async () => {
  const { said } = await ask(DEEPSEEK, [], [{ reasoning_content: '' }, { content: 'Done.' }]);
  expect(said).toEqual(SAID);
});
