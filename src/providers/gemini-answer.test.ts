import { describe, expect, test } from 'vitest';
import { REQUEST } from '../../test/conformance/sample-request.ts';
import type { ModelChunk } from '../core/provider.ts';
import type { CallFault } from './call-failure.ts';
import { GeminiAnswer, type GeminiEvent } from './gemini-answer.ts';

type Part = Readonly<Record<string, unknown>>;

const event = (fields: Part): GeminiEvent => fields;
const content = (...parts: readonly Part[]) => event({ candidates: [{ content: { role: 'model', parts } }] });
const call = (functionCall: Part) => content({ functionCall });
const end = (finishReason = 'STOP') => event({ candidates: [{ finishReason }] });
const counts = (usageMetadata: Part) => event({ usageMetadata });

function assemble(events: readonly GeminiEvent[]) {
  const chunks: ModelChunk[] = [];
  const answer = new GeminiAnswer({
    request: REQUEST,
    chunk: (chunk) => chunks.push(chunk),
    carryName: 'gemini/gemini',
  });
  let fault: CallFault | undefined;
  for (const one of events) fault ??= answer.push(one);
  return { answer, chunks, outcome: fault ?? answer.finish() };
}

test.each<[string, GeminiEvent[], string]>([
  ['nothing at all', [], 'stream_incomplete'],
  ['no finishReason', [content({ text: 'x' })], 'stream_incomplete'],
  [
    'a finishReason of null',
    [content({ text: 'x' }), event({ candidates: [{ finishReason: null }] })],
    'stream_incomplete',
  ],
  ['a refused prompt', [event({ promptFeedback: { blockReason: 'SAFETY' } })], 'content_filter'],
  ['an answer withheld for safety', [content({ text: 'x' }), end('SAFETY')], 'content_filter'],
  ['a recitation', [end('RECITATION')], 'content_filter'],
  ['forbidden terms', [end('BLOCKLIST')], 'content_filter'],
  ['prohibited content', [end('PROHIBITED_CONTENT')], 'content_filter'],
  ['personal data', [end('SPII')], 'content_filter'],
  ['a call that Gemini could not read', [end('MALFORMED_FUNCTION_CALL')], 'tool_call_invalid'],
  ['a call of a tool that is not there', [end('UNEXPECTED_TOOL_CALL')], 'tool_call_invalid'],
  ['announced calls that never came', [end('FUNCTION_CALL')], 'tool_call_invalid'],
  ['too many calls', [end('TOO_MANY_TOOL_CALLS')], 'tool_call_invalid'],
  ['an end for another reason', [end('OTHER')], 'stop_reason'],
  ['an end for no reason', [end('FINISH_REASON_UNSPECIFIED')], 'stop_reason'],
  ['an end for a reason of the future', [end('TIRED')], 'stop_reason'],
  ['a call without a name', [call({ args: {} }), end()], 'tool_call_invalid'],
  ['an input that is a list', [call({ name: 'n', args: [1] }), end()], 'tool_input_invalid'],
  [
    'an input with no room for recursion',
    [call({ name: 'n', args: JSON.parse(`{"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`) }), end()],
    'tool_input_invalid',
  ],
  ['an input that is text', [call({ name: 'n', args: '{"a' }), end()], 'tool_input_invalid'],
])('%s is not an answer', (_title, events, code) => {
  expect(assemble(events).outcome).toMatchObject({ code });
});

test.each([
  ['MAX_TOKENS', 'length'],
  ['CONTINUATION', 'length'],
  ['STOP', 'tool_calls'],
  ['FUNCTION_CALL', 'tool_calls'],
])('an answer with a call that ends with %s is one (%s)', (reason, finishReason) => {
  const { outcome } = assemble([call({ id: 'c', name: 'now' }), end(reason)]);
  expect(outcome).toMatchObject({ toolCalls: [{ id: 'c', name: 'now', input: {} }], finishReason });
});

test('candidates beside the first, and parts of the future, are passed over', () => {
  const { outcome } = assemble([
    event({ candidates: [{ content: { parts: [{ text: 'a' }] } }, { content: { parts: [{ text: 'b' }] } }] }),
    content({ newPart: { text: 'c' } }),
    event({ candidates: [{}] }),
    end(),
  ]);
  expect(outcome).toMatchObject({ text: 'a', finishReason: 'stop' });
});

test('calls without ids get ids of their own', () => {
  const { outcome, chunks } = assemble([
    content({ functionCall: { name: 'x' } }, { functionCall: { id: '', name: 'x', args: { k: 1 } } }),
    end(),
  ]);
  expect(outcome).toMatchObject({
    toolCalls: [
      { id: `call_${REQUEST.thread.turn}_${REQUEST.messages.length}_0`, input: {} },
      { id: `call_${REQUEST.thread.turn}_${REQUEST.messages.length}_1`, input: { k: 1 } },
    ],
  });
  expect(outcome).not.toHaveProperty('carry');
  expect(chunks).toEqual([
    { type: 'tool_call', index: 0, name: 'x', json: '{}' },
    {
      type: 'tool_ready',
      call: { id: `call_${REQUEST.thread.turn}_${REQUEST.messages.length}_0`, name: 'x', input: {} },
    },
    { type: 'tool_call', index: 1, name: 'x', json: '{"k":1}' },
    {
      type: 'tool_ready',
      call: { id: `call_${REQUEST.thread.turn}_${REQUEST.messages.length}_1`, name: 'x', input: { k: 1 } },
    },
  ]);
});

describe('thoughts', () => {
  test('are chunks of their own, and no text', () => {
    const { outcome, chunks } = assemble([content({ text: 'hm', thought: true }, { text: 'So.' }), end()]);
    expect(chunks).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'So.' },
    ]);
    expect(outcome).toMatchObject({ text: 'So.', reasoning: 'hm' });
    expect(outcome).not.toHaveProperty('carry');
  });

  test('are carried by signatures, each with the part it came with', () => {
    const signed = { functionCall: { id: 'c', name: 'x', args: {} }, thoughtSignature: 'c2lnMQ==' };
    const { outcome } = assemble([
      content({ text: 'hm', thought: true }),
      content({ text: 'I ' }),
      content({ text: 'will.' }, { text: '' }),
      content(signed, { functionCall: { id: 'd', name: 'y', args: {} } }),
      content({ text: 'Wait' }),
      content({ text: '', thoughtSignature: 'c2lnMg==' }),
      content({ text: '.' }),
      end(),
    ]);
    expect(outcome).toMatchObject({
      text: 'I will.Wait.',
      carry: {
        provider: 'gemini/gemini',
        parts: [
          { text: 'I will.' },
          signed,
          { functionCall: { id: 'd', name: 'y', args: {} } },
          { text: 'Wait' },
          { text: '', thoughtSignature: 'c2lnMg==' },
          { text: '.' },
        ],
      },
    });
  });
});

describe('usage', () => {
  test('is counted also where the answer is none', () => {
    const parts = [{ functionCall: { name: 'n', args: '{"a' } }];
    const { answer } = assemble([
      event({
        candidates: [{ content: { parts }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5_000 },
      }),
    ]);
    expect(answer.usage()).toMatchObject({ inputTokens: 10, outputTokens: 5_000 });
  });

  test('has the cache within the input, and thoughts within the output', () => {
    const counted = {
      promptTokenCount: 100,
      cachedContentTokenCount: 60,
      candidatesTokenCount: 7,
      thoughtsTokenCount: 20,
    };
    const { outcome, chunks } = assemble([
      content({ text: 'x'.repeat(300) }),
      counts({ ...counted, toolUsePromptTokenCount: 5 }),
      end(),
    ]);
    const usage = { inputTokens: 105, outputTokens: 27, cacheReadTokens: 60, cacheWriteTokens: 0 };
    expect(outcome).toMatchObject({ usage });
    expect(chunks.at(-1)).toEqual({ type: 'usage', usage });
  });

  test('says how much of the input was audio', () => {
    const details = [
      { modality: 'TEXT', tokenCount: 20 },
      { modality: 'AUDIO', tokenCount: 80 },
    ];
    const { answer } = assemble([counts({ promptTokenCount: 100, promptTokensDetails: details })]);
    expect(answer.usage()).toMatchObject({ inputTokens: 100, audioTokens: 80 });
    answer.push(counts({ candidatesTokenCount: 1, promptTokensDetails: [{ modality: 'TEXT', tokenCount: 100 }] }));
    expect(answer.usage()).toMatchObject({ audioTokens: 80 });
  });

  test('has all of its input as audio where some was sent and Gemini does not say how much', () => {
    const audio = { kind: 'audio', value: 'SUQzBAAA' } as const;
    const request = { ...REQUEST, messages: [{ role: 'user', text: '', parts: [audio] } as const] };
    const answer = new GeminiAnswer({ request, chunk: () => undefined, carryName: 'gemini/gemini' });
    answer.push(counts({ promptTokenCount: 100 }));
    expect(answer.usage()).toMatchObject({ inputTokens: 100, audioTokens: 100 });
  });

  test('is estimated where the server never counts', () => {
    const { answer } = assemble([content({ text: 'x'.repeat(30) }, { text: 'y'.repeat(30), thought: true }), end()]);
    expect(answer.usage()).toMatchObject({ inputTokens: REQUEST.inputTokens, outputTokens: 20 });
  });

  test('that is estimated is never more than the answer may have', () => {
    const { answer } = assemble([content({ text: 'x'.repeat(3000) })]);
    expect(answer.usage()).toMatchObject({ outputTokens: REQUEST.maxOutputTokens });
  });

  test('of what arrived since the last count is estimated, the answer and the thoughts each for itself', () => {
    const { answer } = assemble([
      content({ text: 'y'.repeat(300), thought: true }),
      counts({ promptTokenCount: 5, thoughtsTokenCount: 40 }),
      content({ text: 'x'.repeat(30) }),
      counts({ promptTokenCount: 5 }),
    ]);
    expect(answer.usage()).toMatchObject({ inputTokens: 5, outputTokens: 50 });
  });

  test.each([[null], [-1], ['many'], [Infinity]])('a count of %j changes nothing', (count) => {
    const { answer } = assemble([
      counts({ promptTokenCount: 5, candidatesTokenCount: 3 }),
      counts({ promptTokenCount: count, candidatesTokenCount: count, cachedContentTokenCount: count }),
    ]);
    expect(answer.usage()).toMatchObject({ inputTokens: 5, outputTokens: 3, cacheReadTokens: 0 });
  });

  test('of 0 beside what was said and sent is no count', () => {
    const nothing = { promptTokenCount: 0, candidatesTokenCount: 0, thoughtsTokenCount: 0 };
    const said = [content({ text: 'x'.repeat(30) }, { text: 'y'.repeat(30), thought: true })];
    const { answer } = assemble([...said, counts(nothing)]);
    expect(answer.usage()).toMatchObject({ inputTokens: REQUEST.inputTokens, outputTokens: 20 });
    answer.push(counts({ ...nothing, cachedContentTokenCount: 7 }));
    expect(answer.usage()).toMatchObject({ inputTokens: 7, cacheReadTokens: 7 });
  });

  test('of 0 after a count takes nothing away', () => {
    const counted = { promptTokenCount: 500, cachedContentTokenCount: 7, toolUsePromptTokenCount: 5 };
    const { answer } = assemble([
      counts(counted),
      counts({ promptTokenCount: 0, cachedContentTokenCount: 0, toolUsePromptTokenCount: 0, candidatesTokenCount: 3 }),
      counts({ promptTokenCount: 0, cachedContentTokenCount: 9 }),
    ]);
    expect(answer.usage()).toMatchObject({ inputTokens: 505, outputTokens: 3, cacheReadTokens: 9 });
  });

  test('is what was sent before anything came', () => {
    expect(assemble([]).answer.usage()).toMatchObject({ inputTokens: REQUEST.inputTokens, outputTokens: 0 });
  });
});
