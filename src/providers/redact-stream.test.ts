import { expect, test } from 'vitest';
import { costOf } from '../../test/fixtures/cost-of.ts';
import { createRedactor } from '../core/redactor.ts';
import { redactStream } from './redact-stream.ts';

const redactor = createRedactor(['hunter2-hunter2']);

const frames = (...texts: readonly string[]): string =>
  texts.map((text) => `data: {"choices":[{"delta":{"content":${JSON.stringify(text)}}}]}\n\n`).join('');

test.each([
  ['in one frame', ['a hunter2-hunter2 b'], ['a [redacted] b']],
  ['in two frames', ['a hunter2-', 'hunter2 b'], ['a [redacted]', ' b']],
  ['in many frames, some of them empty', ['a hun', '', 'ter2-', 'hun', 'ter2'], ['a [redacted]', '', '', '', '']],
  [
    'behind another one in a frame that both share',
    ['hunter2-', 'hunter2 hunter2-', 'hunter2'],
    ['[redacted]', ' [redacted]', ''],
  ],
  ['behind a quote', ['"', 'hunter2-', 'hunter2"'], ['"', '[redacted]', '"']],
])('A secret %s is taken out', (_, said, told) => {
  expect(redactStream(frames(...said), redactor)).toBe(frames(...told));
});

const events = (...said: readonly object[]): string =>
  said.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const PARTS = ['hunt', 'er2-hun', 'ter2'];
const chat = (delta: object, more: object = {}): object => ({ choices: [{ delta, index: 0, ...more }] });
const call = (index: number, text: string): object => ({ index, function: { arguments: text } });

test.each<[string, readonly object[]]>([
  ['a refusal', PARTS.map((refusal) => chat({ refusal }))],
  ['the first of two calls at once', PARTS.map((part, at) => chat({ tool_calls: [call(0, part), call(1, `x${at}`)] }))],
  [
    'the second of two calls at once',
    PARTS.map((part, at) => chat({ tool_calls: [call(0, `x${at}`), call(1, part)] })),
  ],
  [
    'a call whose number stands in its first frame alone',
    PARTS.map((part, at) => chat({ tool_calls: [at === 0 ? call(0, part) : { function: { arguments: part } }] })),
  ],
  [
    'two items in turn',
    PARTS.flatMap((delta) => [
      { type: 'response.function_call_arguments.delta', delta, output_index: 1 },
      { type: 'response.function_call_arguments.delta', delta: 'x', output_index: 2 },
    ]),
  ],
  [
    'one of two choices',
    PARTS.map((content) => ({ choices: [chat({ content: 'x' }), { ...chat({ content }), index: 1 }] })),
  ],
  [
    'two items in turn that are told apart by their ids',
    PARTS.flatMap((delta) => [
      { type: 'response.function_call_arguments.delta', item_id: 'fc_a', delta },
      { type: 'response.function_call_arguments.delta', item_id: 'fc_b', delta: 'x' },
    ]),
  ],
  [
    'two items in turn whose ids are others in every frame',
    PARTS.flatMap((delta, at) => [
      { type: 'response.output_text.delta', item_id: `a${at}`, delta, output_index: 1 },
      { type: 'response.output_text.delta', item_id: `b${at}`, delta: 'x', output_index: 2 },
    ]),
  ],
  ['the input of a custom tool', PARTS.map((input) => chat({ tool_calls: [{ index: 0, custom: { input } }] }))],
  ['what is said to audio', PARTS.map((transcript) => chat({ audio: { transcript } }))],
  ['a thought by two names', PARTS.map((text) => chat({ reasoning: text, reasoning_content: text }))],
  ['a thought and its parts', PARTS.map((text) => chat({ reasoning: text, reasoning_details: [{ text, index: 0 }] }))],
  [
    'the tokens of a text, and those that were less likely',
    PARTS.map((token) =>
      chat({ content: token }, { logprobs: { content: [{ token, top_logprobs: [{ token: 'x' }, { token: 'y' }] }] } }),
    ),
  ],
])('A secret in several frames is taken out of %s', (_, said) => {
  const clean = redactStream(events(...said), redactor);
  expect(clean).toContain('[redacted]');
  for (const part of PARTS) expect(clean).not.toContain(`"${part}"`);
  // What stands beside it is as it was.
  const others = (body: string): readonly string[] => body.match(/"[xy]\d?"/g) ?? [];
  expect(others(clean)).toEqual(others(events(...said)));
});

test.each([
  ['a comment with a quote', `: it's "odd\n\n`],
  ['an event that is cut off', 'data: {"choices":[{"index":3,"delta":{"role":"a\n\n'],
  ['JSON of many lines', `${JSON.stringify({ error: { message: 'a "b" {' } }, undefined, 2)}\n`],
])('A secret is taken out of the frames around %s', (_, between) => {
  const [one, two] = [frames('a hunter2-'), frames('hunter2 b')];
  expect(redactStream(one + between + two, redactor)).toBe(frames('a [redacted]') + between + frames(' b'));
});

test('A secret in a text that was cut off is taken out', () => {
  const body = frames('a hunter2-', 'hunter2');
  expect(redactStream(body.slice(0, body.indexOf('hunter2"') + 7), redactor)).not.toContain('hunter2');
});

test('An answer with thousands of secrets in two frames each takes no longer than it is', () => {
  const body = frames(...Array.from({ length: 2_000 }, () => ['key: hunter2-', 'hunter2\n']).flat());
  expect(redactStream(body, redactor)).toBe(
    frames(...Array.from({ length: 2_000 }, () => ['key: [redacted]', '\n']).flat()),
  );
  expect(costOf(() => redactStream(body, redactor), 1_000)).toBeLessThan(1_000);
});

test.each([
  ['numbers of one name', `data: {${'"index":1,"text":"a",'.repeat(20_000)}`],
  ['numbers of many names', `data: {${Array.from({ length: 20_000 }, (_, n) => `"${n}index":1,"text":"a",`).join('')}`],
  ['objects in one of a long name', `data: {"${'x'.repeat(400_000)}":[${'{"text":"a"},'.repeat(20_000)}`],
])('A line with thousands of %s takes no longer than it is', (_, line) => {
  expect(costOf(() => redactStream(line, redactor), 500)).toBeLessThan(500);
});

test('A text may have many megabytes', () => {
  const body = frames('hunter2-', 'hunter2 ', 'x'.repeat(10_000_000));
  expect(redactStream(body, redactor).slice(0, 200)).not.toContain('hunter2');
});
