import { describe, expect, test } from 'vitest';
import type { HookActionOrder } from './hook-action.ts';
import { readHookText } from './hook-text.ts';

type Result = Readonly<Record<string, unknown>>;

const given = (type: string, data: unknown): Result => ({ status: 'success', type, item_id: 'demo/rules', data });

const said = (role: string, ...texts: readonly string[]): object => ({
  role,
  content: texts.map((value) => ({ kind: 'text', value })),
});

describe('What an action of a thread_started hook gives', () => {
  test.each<[string, unknown, string]>([
    ['the content of knowledge', given('knowledge', { content: ' Be kind.\n', body: 'no', name: 'x' }), 'Be kind.'],
    ['the body of a directive, not its XML', given('directive', { content: '<directive/>', body: 'Do it.' }), 'Do it.'],
    ['the source of a tool', given('tool', { raw: 'export {};\n', input_schema: {} }), 'export {};'],
    ['the content a tool gives', given('tool', { content: 'Branch: main', body: 'no', raw: 'no' }), 'Branch: main'],
    ['the body a tool gives', given('tool', { content: '', body: 'Branch: main' }), 'Branch: main'],
    ['the text a tool gives', given('tool', 'Branch: main\n'), 'Branch: main'],
    ['what a function of the host returns', { content: 'It is noon.' }, 'It is noon.'],
    ['the text a function of the host returns', 'It is noon.', 'It is noon.'],
    ['nothing, if there is nothing to say', given('tool', null), ''],
    ['nothing, if that is empty', given('tool', { content: ' ' }), ''],
    ['nothing from a function that returns nothing', undefined, ''],
  ])('is %s', (_name, value, text) => {
    expect(readHookText(order(false), value)).toEqual({ ok: true, value: text });
  });

  test.each([
    ['a search', given('knowledge', { results: [] })],
    ['a tool with another kind of result', given('tool', { files: ['a'] })],
    ['a list', given('tool', ['a'])],
    ['a number', given('tool', 7)],
    ['content that is no text', given('tool', { content: { a: 1 } })],
    ['a directive without body', given('directive', { content: '<directive/>' })],
  ])('has to have a text: %s has none', (_name, value) => {
    expect(readHookText(order(false), value)).toMatchObject({
      ok: false,
      failure: { code: 'hook_failed', message: expect.stringContaining('content, body or raw') },
    });
  });

  const SAID = [said('system', 'Be ', 'kind.'), said('user', 'Now.\n')];
  const PICTURE = { role: 'user', content: [{ kind: 'image', value: 'https://a.test/b.png' }] };
  const NO_TEXT = 'demo/rules gave a thread_started hook content of the kind image; texts only are expected';
  test.each([
    ['is what the messages of a directive say', SAID, { ok: true, value: 'Be kind.\n\nNow.' }],
    [
      'is refused with a picture in a message',
      [...SAID, PICTURE],
      { ok: false, failure: { code: 'hook_failed', message: NO_TEXT } },
    ],
  ])('%s', (_name, messages, text) => {
    const ofItem = { ...order(false), action: { hostFunction: undefined, itemId: 'demo/rules' } };
    expect(readHookText(ofItem as HookActionOrder, given('directive', { body: '', messages }))).toEqual(text);
  });

  test('is the body, if a function of the host returns messages', () => {
    const value = given('directive', { body: 'Do it.', messages: [7] });
    expect(readHookText(order(false), value)).toEqual({ ok: true, value: 'Do it.' });
  });

  test.each<[string, unknown, string]>([
    [
      'of its name',
      given('tool', { content: 'a', name: 'Git state' }),
      '<Git_state id="demo/rules" type="tool">\na\n</Git_state>',
    ],
    ['of the last part of its id', given('tool', 'a'), '<rules id="demo/rules" type="tool">\na\n</rules>'],
    ['of the function', 'a', '<clock id="clock" type="function">\na\n</clock>'],
    ['if there is a text', given('tool', ''), ''],
  ])('stands in a tag %s', (_name, value, text) => {
    expect(readHookText(order(true), value)).toEqual({ ok: true, value: text });
  });
});

/** Of an order, only the hook's own word and the name of its function are looked at. */
function order(wrap: boolean): HookActionOrder {
  return {
    event: 'thread_started',
    hook: { wrap },
    action: { hostFunction: 'clock', itemId: '' },
  } as unknown as HookActionOrder;
}
