import { expect, test } from 'vitest';
import { encodeEvent } from './events.ts';
import { missedResults } from './open-calls.ts';

let sequence = 0;
const line = (event_type: string, payload: object): string =>
  encodeEvent({ sequence: ++sequence, event_type, time: 0, payload });
const start = (call_id: string): string =>
  line('tool_call_start', { tool: 't', call_id, input: { event_type: 'tool_call_result', call_id } });
const result = (call_id: string): string => line('tool_call_result', { call_id, output: '', duration_ms: 1 });

test.each<[string, string[], string[]]>([
  ['nothing', [], []],
  ['calls that have results', [start('a'), start('b'), result('b'), result('a')], []],
  ['a call without a result', [start('a'), start('b'), result('a')], ['b']],
  ['an id that was used twice', [start('a'), result('a'), start('a')], ['a']],
  [
    'a result with characters in it that end a line elsewhere',
    [start('a'), line('tool_call_result', { call_id: 'a', output: 'one\u2028two\u2029three\r', duration_ms: 1 })],
    [],
  ],
  ['text about events', [line('cognition_in', { text: start('a'), role: 'user' })], []],
])('of %s', (_name, lines, expected) => {
  const missed = missedResults(lines.join(''));
  expect(missed.map(({ payload }) => payload.call_id)).toEqual(expected);
  for (const { payload } of missed) expect(payload).toMatchObject({ error: expect.stringContaining('interrupted') });
});
