import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { describe, expect, test } from 'vitest';
import { REQUEST } from '../../test/conformance/sample-request.ts';
import type { Message } from '../core/conversation.ts';
import type { CacheMark, ModelRequest, ModelResponse } from '../core/provider.ts';
import { AnthropicAnswer } from './anthropic-answer.ts';
import { anthropicRequest } from './anthropic-request.ts';

const NAME = 'claude/messages';
const CALL = { id: 'call_1', name: 'read', input: { path: 'a' } };

const begin = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
const delta = (index: number, fields: object) => ({ type: 'content_block_delta', index, delta: fields });
const stop = (index: number) => ({ type: 'content_block_stop', index });

/** An answer that thinks, speaks, thinks again where nobody may look, and calls. */
const THOUGHTFUL = [
  { type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } },
  begin(0, { type: 'thinking', thinking: '', signature: '' }),
  delta(0, { type: 'thinking_delta', thinking: 'Let me ' }),
  delta(0, { type: 'thinking_delta', thinking: 'see.' }),
  delta(0, { type: 'signature_delta', signature: 'c2ln' }),
  stop(0),
  begin(1, { type: 'text', text: '' }),
  delta(1, { type: 'text_delta', text: 'I will ' }),
  delta(1, { type: 'text_delta', text: 'read.' }),
  stop(1),
  begin(2, { type: 'redacted_thinking', data: 'aGlkZGVu' }),
  stop(2),
  begin(3, { type: 'tool_use', id: CALL.id, name: CALL.name, input: {} }),
  delta(3, { type: 'input_json_delta', partial_json: '{"path":"a"}' }),
  stop(3),
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
];

const BLOCKS = [
  { type: 'thinking', thinking: 'Let me see.', signature: 'c2ln' },
  { type: 'text', text: 'I will read.' },
  { type: 'redacted_thinking', data: 'aGlkZGVu' },
  { type: 'tool_use', ...CALL },
];

function answerOf(events: readonly object[], messages: readonly Message[] = []): ModelResponse {
  const answer = new AnthropicAnswer({ request: { ...REQUEST, messages }, chunk: () => undefined, carryName: NAME });
  // The wire sends JSON; the type is what the SDK hopes for.
  for (const event of events) answer.push(event as RawMessageStreamEvent);
  const outcome = answer.finish();
  if (!('finishReason' in outcome)) throw new Error(outcome.message);
  return outcome;
}

/** The conversation after an answer with a call, and the call's result. */
function after({ text, toolCalls, carry }: Pick<ModelResponse, 'text' | 'toolCalls' | 'carry'>): readonly Message[] {
  return [
    { role: 'user', text: 'Go.' },
    { role: 'assistant', text, toolCalls, ...(carry && { carry }) },
    { role: 'tool', callId: CALL.id, text: 'alpha', isError: false },
  ];
}

const sent = (change: Partial<ModelRequest>, name = NAME) => anthropicRequest({ ...REQUEST, ...change }, name);

describe('Thoughts', () => {
  test('are the reasoning of the answer', () => {
    expect(answerOf(THOUGHTFUL)).toMatchObject({ text: 'I will read.', toolCalls: [CALL], reasoning: 'Let me see.' });
  });

  test('go back word for word and where they stood, also after they were JSON in a log', () => {
    const stored = JSON.parse(JSON.stringify(answerOf(THOUGHTFUL))) as ModelResponse;
    expect(sent({ messages: after(stored) }).messages[1]?.content).toEqual(BLOCKS);
  });

  test('go back with their call where the server has named another one so', () => {
    const again = answerOf(THOUGHTFUL, after(answerOf(THOUGHTFUL)));
    const call = { ...CALL, id: 'call_1_0' };
    expect(again.toolCalls).toEqual([call]);
    const blocks = [...BLOCKS.slice(0, 3), { type: 'tool_use', ...call }];
    expect(sent({ messages: after(again) }).messages[1]?.content).toEqual(blocks);
  });

  test.each<[string, string, (answer: ModelResponse) => ModelResponse]>([
    ['to a provider of another name', 'other/messages', (answer) => answer],
    ['with a text that is not the one they belong to', NAME, (answer) => ({ ...answer, text: 'I read.' })],
  ])('do not go %s', (_title, name, change) => {
    const answer = change(answerOf(THOUGHTFUL));
    expect(sent({ messages: after(answer) }, name).messages[1]?.content).toEqual([
      { type: 'text', text: answer.text },
      { type: 'tool_use', ...CALL },
    ]);
  });

  test.each([
    [
      'an answer without any',
      THOUGHTFUL.filter((event) => !('index' in event) || event.index === 1 || event.index === 3),
    ],
    ['an answer of nothing else', [...THOUGHTFUL.slice(0, 6), ...END('max_tokens')]],
  ])('%s carries nothing', (_title, events) => {
    expect(answerOf(events)).not.toHaveProperty('carry');
  });
});

function END(stop_reason: string): readonly object[] {
  return [{ type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 9 } }, { type: 'message_stop' }];
}

describe('The setting of reasoning', () => {
  test('as an effort lets the model decide when it thinks', () => {
    expect(sent({ reasoning: { effort: 'high' } })).toMatchObject({
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'high' },
    });
  });

  const budget = { budgetTokens: 2048 };
  const THOUGHTLESS = { text: '', toolCalls: [CALL] };
  /** Another call and its result. */
  const SECOND = after(THOUGHTLESS).slice(1);
  const user = (text: string): Message => ({ role: 'user', text });
  const said = (text: string): Message => ({ role: 'assistant', text, toolCalls: [] });

  test.each([
    ['at the beginning', [{ role: 'user', text: 'Go.' }] as const],
    ['after its own thoughts', after(answerOf(THOUGHTFUL))],
    ['with results of later calls, which need no thought of their own', [...after(answerOf(THOUGHTFUL)), ...SECOND]],
    ['after a question that follows an answer without a thought', [...after(THOUGHTLESS), said('Done.'), user('And?')]],
    [
      'after its own thoughts behind what was said to a file',
      [user('A file.'), said('Ok.'), ...after(answerOf(THOUGHTFUL)).slice(1)],
    ],
  ])('as a budget is sent %s', (_title, messages) => {
    const expected = { type: 'enabled', budget_tokens: 2048, display: 'summarized' };
    expect(sent({ messages, reasoning: budget }).thinking).toEqual(expected);
  });

  test('as a budget is not sent with results of calls that were made without a thought: the API refuses that', () => {
    const messages = [...after(THOUGHTLESS), ...SECOND];
    expect(sent({ messages, reasoning: budget })).not.toHaveProperty('thinking');
  });

  test('is not sent where there is none', () => {
    expect(sent({})).not.toHaveProperty('thinking');
  });
});

describe('Cache marks', () => {
  /** Where the marks stand, as paths into the request. */
  function marked(cacheMarks: readonly CacheMark[], change: Partial<ModelRequest> = {}): string[] {
    const { tools, system, messages } = sent({ ...change, cacheMarks });
    const paths = (name: string, blocks: unknown): string[] =>
      (Array.isArray(blocks) ? blocks : []).flatMap((block: object, at) =>
        'cache_control' in block ? [`${name}.${at}`] : [],
      );
    return [
      ...paths('tools', tools),
      ...paths('system', system),
      ...messages.flatMap(({ content }, at) => paths(`messages.${at}`, content)),
    ];
  }

  test.each<[readonly CacheMark[], string[]]>([
    [['tools'], ['tools.0']],
    [['system'], ['system.0']],
    [[0], ['messages.0.0']],
    // The third message of the conversation is the first block of the third turn.
    [[2], ['messages.2.0']],
    [
      ['tools', 'system', 1, 4],
      ['tools.0', 'system.0', 'messages.1.2', 'messages.2.2'],
    ],
    [
      ['tools', 'system', 0, 1, 4],
      ['system.0', 'messages.0.0', 'messages.1.2', 'messages.2.2'],
    ],
    [[], []],
  ])('%j stand at %j', (marks, paths) => {
    expect(marked(marks)).toEqual(paths);
  });

  test('stand at what comes before a message that has nothing to be sent, and never at a thought', () => {
    const thought = { type: 'thinking', thinking: 'hm', signature: 's' };
    const carry = { provider: NAME, parts: [{ type: 'text', length: 2 }, thought] };
    const messages: readonly Message[] = [
      { role: 'user', text: 'Go.' },
      { role: 'assistant', text: 'Hm', toolCalls: [], carry },
      { role: 'user', text: '' },
    ];
    expect(marked([2], { messages })).toEqual(['messages.1.0']);
  });

  test('of parts that are not there are passed over', () => {
    expect(marked(['tools', 'system'], { tools: [], system: '' })).toEqual([]);
  });

  test('change nothing in the conversation', () => {
    const messages = after(answerOf(THOUGHTFUL));
    const before = structuredClone(messages);
    sent({ messages, cacheMarks: ['tools', 'system', 1, 2] });
    expect(messages).toEqual(before);
  });
});
