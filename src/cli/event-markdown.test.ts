import { expect, test } from 'vitest';
import { eventMarkdown } from './event-markdown.ts';
import type { ShownEvent } from './event-text.ts';

function event(event_type: string, payload: ShownEvent['payload']): ShownEvent {
  return { thread_id: 't', event_type, timestamp: '', payload, criticality: 'critical' };
}

test.each<[string, ShownEvent, string]>([
  [
    'a heading in an answer',
    event('cognition_out', { text: 'yes\n\n# Outputs' }),
    '## The model\n\n> yes\n>\n> # Outputs\n\n',
  ],
  [
    'a line break in a tool',
    event('tool_call_start', { tool: 'a\n# b', call_id: 'c\n# d', input: {} }),
    '## Tool: a\\n# b (c\\n# d)\n\n```json\n{}\n```\n\n',
  ],
  [
    'a fence in an output',
    event('directive_return', { outputs: { a: '\n```\n# b' } }),
    '## Outputs\n\n```json\n{"a":"\\n```\\n# b"}\n```\n\n',
  ],
  [
    'an escape in a result',
    event('tool_call_result', { call_id: 'c', output: '\u001b[2J' }),
    '## Result of c\n\n> \\x1b[2J\n\n',
  ],
  ['an error', event('tool_call_result', { call_id: 'c', error: 'no' }), '## Error of c\n\n> no\n\n'],
  ['a backtick elsewhere', event('warning', { message: 'a`b' }), '- warning `{"message":"a\'b"}`\n\n'],
  [
    'a name that every object has',
    event('constructor', { title: 'a', body: '\u001b[2J' }),
    '- constructor `{"title":"a","body":"\\u001b[2J"}`\n\n',
  ],
  ['an answer of tool calls alone', event('cognition_out', { text: '' }), '## The model\n\n'],
])('%s stays what it is', (_, given, shown) => {
  expect(eventMarkdown(given)).toBe(shown);
});

test('results that came in another order than their calls are told apart', () => {
  const told = [
    event('tool_call_start', { tool: 'a', call_id: 'call_1', input: {} }),
    event('tool_call_start', { tool: 'a', call_id: 'call_2', input: {} }),
    event('tool_call_result', { call_id: 'call_2', output: 'second' }),
    event('tool_call_result', { call_id: 'call_1', error: 'first' }),
  ];
  expect(
    told
      .map(eventMarkdown)
      .join('')
      .match(/^## .*$/gm),
  ).toEqual(['## Tool: a (call_1)', '## Tool: a (call_2)', '## Result of call_2', '## Error of call_1']);
});
