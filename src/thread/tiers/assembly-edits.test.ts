import { expect, test } from 'vitest';
import type { Message } from '../../core/conversation.ts';
import { editsSaid } from './assembly-edits.ts';

const since: Message = { role: 'user', text: 'go' };
const names = { idOf: (name: string) => `rye/file-system/${name}` };
type Call = readonly [name: string, input: Record<string, unknown>, isError?: boolean];

function said(calls: readonly Call[], now: string): boolean {
  const messages: Message[] = [since];
  calls.forEach(([name, input, isError = false], at) => {
    messages.push({ role: 'assistant', text: '', toolCalls: [{ id: `${at}`, name, input }] });
    messages.push({ role: 'tool', callId: `${at}`, text: '', isError });
  });
  const search = { messages, since, names };
  return editsSaid(search, new Map([['a.ts', 'one two two']]), new Map([['a.ts', now]])).has('a.ts');
}

const path = './a.ts';
test.each<[string, readonly Call[], string, boolean]>([
  ['an edit', [['edit', { path, old_string: 'one', new_string: '1' }]], '1 two two', true],
  ['an edit everywhere', [['edit', { path, old_string: 'two', new_string: '2', replace_all: true }]], 'one 2 2', true],
  ['a file that is written anew', [['write', { path, content: 'new' }]], 'new', true],
  [
    'two edits',
    [
      ['write', { path, content: 'new' }],
      ['edit', { path, old_string: 'n', new_string: 'f' }],
    ],
    'few',
    true,
  ],
  ['no edit that somebody added to', [['edit', { path, old_string: 'one', new_string: '1' }]], '1 two two!', false],
  ['no edit that failed', [['edit', { path, old_string: 'one', new_string: '1' }, true]], '1 two two', false],
  ['no edit of another file', [['write', { path: 'b.ts', content: 'new' }]], 'new', false],
  ['no change without an edit', [], 'new', false],
])('A conversation says %s', (_, calls, now, expected) => {
  expect(said(calls, now)).toBe(expected);
});
