import { describe, expect, test } from 'vitest';
import * as headers from '../../prompt/tiers/headers.ts';
import type { Message } from '../../core/conversation.ts';
import { withThreadFacts } from './thread-facts.ts';

const DIRECTIVE = '<directive name="sum">\nadd\n</directive>';
const user = (text: string): Message => ({ role: 'user', text });
const said = (text: string, ...names: readonly string[]): Message => ({
  role: 'assistant',
  text,
  toolCalls: names.map((name) => ({ id: name, name, input: {} })),
});
const shown = (header: string, answer = headers.ACKNOWLEDGED): Message[] => [user(`${header}src/a.ts`), said(answer)];
const files = shown(headers.FILES_ACTIVE_HEADER);

function factsOf(...messages: readonly Message[]): object {
  return withThreadFacts({ model: 'm', system: '', messages, tools: [], maxOutputTokens: 100 }).thread;
}

describe('A thread as a request tells of it', () => {
  test.each<[string, Message[], number]>([
    ['begins', [user(DIRECTIVE)], 1],
    ['has been answered with what a text beside it would be', [user(DIRECTIVE), said('Ok.'), user('Go on.')], 2],
    ['has been answered so later', [user(DIRECTIVE), said('One.'), user('Go on.'), said('Ok.'), user('And?')], 3],
    ['is shown files before it begins', [...files, user(DIRECTIVE), said('Ok.'), user('Go on.')], 2],
    ['is shown files as it goes on', [user(DIRECTIVE), said('One.'), ...files, user('Go on.')], 2],
    ['has called a tool with such words', [user(DIRECTIVE), said('Ok.', 'read')], 2],
  ])('%s', (_, messages, turn) => {
    expect(factsOf(...messages)).toEqual({ directive: 'sum', turn });
  });

  const texts = Object.entries(headers).flatMap(([name, text]) =>
    name.endsWith('_HEADER') && typeof text === 'string' ? [[name, text] as const] : [],
  );
  test.each(texts)('has nothing of what stands under %s', (_, header) => {
    expect(factsOf(...shown(header), user(DIRECTIVE))).toEqual({ directive: 'sum', turn: 1 });
  });

  test.each([headers.URLS_ACKNOWLEDGED, headers.REVIEW_ACKNOWLEDGED])(
    'has nothing of a text answered with %j',
    (answer) => {
      expect(factsOf(...shown(headers.URL_CONTEXT_HEADER, answer), user(DIRECTIVE))).toMatchObject({ turn: 1 });
    },
  );
});
