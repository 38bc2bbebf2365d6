import { describe, expect, test } from 'vitest';
import type { Message } from '../../core/conversation.ts';
import { encodeEvent } from '../../core/events.ts';
import { replaceIds, splitConversation } from './assembly-history.ts';
import type { AssemblySession } from './assembly-session.ts';
import { replaceMiddle } from '../conversation/replace-middle.ts';
import { loggedContext } from './shown-context.ts';

const user = (text: string): Message => ({ role: 'user', text });
const says = (text: string): Message => ({ role: 'assistant', text, toolCalls: [] });
const result = (text: string): Message => ({ role: 'tool', callId: text, text, isError: false });

const NONE = { summaries: 0, removed: 0 };

describe('A conversation', () => {
  test.each<[string, Message[], string[], number, string | undefined]>([
    ['begins with its prompt', [user('a')], [], 0, 'a'],
    ['keeps results that nobody has answered at its end', [user('a'), says('b'), result('c')], ['m0'], 2, undefined],
    ['has what was said last as its prompt', [user('a'), says('b'), user('c')], ['m0', 'm1'], 0, 'c'],
    ['keeps results at its end in front of a prompt', [user('a'), says('b'), result('c'), user('d')], ['m0'], 2, 'd'],
    [
      'keeps all that was said since the last answer at its end',
      [user('a'), says('b'), result('c'), user('d'), user('e')],
      ['m0'],
      3,
      'e',
    ],
    ['counts an answer as answered', [user('a'), says('b'), user('c'), user('d')], ['m0', 'm1'], 1, 'd'],
    ['has no history before the first answer', [user('a'), user('b')], [], 1, 'b'],
  ])('%s', (_, messages, ids, open, prompt) => {
    const split = splitConversation(messages, NONE);
    expect(split.history.map(({ id }) => id)).toEqual(ids);
    expect(split.open).toHaveLength(open);
    expect(split.prompt?.text).toBe(prompt);
  });

  test('keeps the ids of what is left when summaries take the place of its middle, and its log leads to the same', () => {
    const messages = [user('a'), ...['b', 'c', 'd', 'e', 'f', 'g'].map(says), user('last')];
    // A bench has of a session what is looked at.
    const session = { ...NONE, events: [] } as unknown as AssemblySession;
    const replaced = [2, 3];
    for (const count of replaced) {
      replaceIds(session, count);
      replaceMiddle(messages, { summary: 's', replaced: count });
    }
    const ids = splitConversation(messages, session).history.map(({ id }) => id);
    expect(ids).toEqual(['m0', 's2', 'm5', 'm6']);
    expect(session.events).toEqual([
      { kind: 'history_replaced', removed: ['history:m1', 'history:m2'], added: ['history:s1'] },
      { kind: 'history_replaced', removed: ['history:s1', 'history:m3', 'history:m4'], added: ['history:s2'] },
    ]);
    const lines = replaced.map((count, at) => {
      const payload = { summary: 's', replaced: count, tokens_before: 2, tokens_after: 1 };
      return encodeEvent({ sequence: at + 1, event_type: 'context_compacted', time: 0, payload });
    });
    const { summaries, removed } = loggedContext(lines.join(''));
    expect({ summaries, removed }).toEqual({ summaries: session.summaries, removed: session.removed });
  });
});
