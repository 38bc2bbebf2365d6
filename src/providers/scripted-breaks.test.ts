import { expect, test } from 'vitest';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import { createRecordingSink } from '../../test/conformance/recording-sink.ts';
import { REQUEST } from '../../test/conformance/sample-request.ts';
import type { Script } from './scripted-schema.ts';
import { createScriptedProvider } from './scripted.ts';

type Rule = Script['rules'][number];

const TEXT = { text: 'abcdef', chunks: 3, usage: { input_tokens: 10, output_tokens: 6 } };
const CALL = { tool_calls: [{ name: 'read', input: { path: 'a' } }] };

function play(rule: Rule) {
  const [clock, sink] = [createHandClock(), createRecordingSink()];
  const call = createScriptedProvider({ rules: [rule] }, { clock }).call(REQUEST, sink);
  return { clock, sink, call };
}

test.each<[string, Rule, string, string, number]>([
  ['ends within the answer', { ...TEXT, break: { how: 'end', after_chunks: 2 } }, 'abcd', 'stream_incomplete', 4],
  ['is reset', { ...TEXT, break: { how: 'reset' } }, 'ab', 'stream_incomplete', 2],
  ['ends in garbage', { ...TEXT, break: { how: 'garbage', after_chunks: 9 } }, 'abcdef', 'stream_incomplete', 6],
])('A scripted answer that %s fails as an adapter would have it', async (_title, rule, text, code, outputTokens) => {
  const { sink } = play(rule);
  expect(await sink.ended).toMatchObject({ failed: { code, usage: { outputTokens } } });
  expect(sink.text()).toBe(text);
});

test('A scripted answer that is cut within a call is one that reached its limit: the call can be read by nobody', async () => {
  const { sink } = play({ ...TEXT, ...CALL, break: { how: 'cut_tool' } });
  const input = { problem: expect.stringContaining('This call of read was cut off'), written: '{"path' };
  expect(await sink.ended).toMatchObject({
    done: { text: 'abcdef', finishReason: 'length', toolCalls: [{ name: 'malformed_tool_call', input }] },
  });
});

test('An answer without calls has no input to be cut', async () => {
  const { sink } = play({ ...TEXT, break: { how: 'cut_tool' } });
  expect(await sink.ended).toMatchObject({ done: { text: 'abcdef' } });
});

test('An answer that breaks before its first piece is silent: its thoughts are not heard either', async () => {
  const { sink } = play({ ...TEXT, reasoning: 'I see', break: { how: 'end', after_chunks: 0 } });
  expect(await sink.ended).toMatchObject({ failed: { code: 'stream_incomplete' } });
  expect(sink.chunks).toEqual([]);
});

test('A scripted answer that stalls ends when it is aborted', () => {
  const { clock, sink, call } = play({ ...TEXT, delay_ms: 30, break: { how: 'stall', after_chunks: 1 } });
  clock.advance(1000);
  expect(sink.text()).toBe('ab');
  expect(call.abort()).toMatchObject({ outputTokens: 2 });
  expect({ ends: sink.ends, pending: clock.pending() }).toEqual({ ends: [], pending: 0 });
});

test.each<[string, Rule]>([
  ['with a text', { reasoning: 'I see ${turn}', text: 'abc', chunks: 2 }],
  ['with a tool call alone', { reasoning: 'I see ${turn}', ...CALL }],
])('A scripted model thinks aloud once and first, %s', async (_title, rule) => {
  const { sink } = play(rule);
  expect(await sink.ended).toMatchObject({ done: { reasoning: 'I see 2' } });
  expect(sink.chunks.findIndex(({ type }) => type === 'reasoning')).toBe(0);
  expect(sink.chunks.filter(({ type }) => type === 'reasoning')).toEqual([{ type: 'reasoning', text: 'I see 2' }]);
});
