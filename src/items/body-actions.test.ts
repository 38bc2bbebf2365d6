import { describe, expect, test } from 'vitest';
import { readBodyActions } from './body-actions.ts';
import { startReading, warningsOf } from './reading.ts';

const read = (body: string) => {
  const reading = startReading({ id: 'x', file: 'x.md' });
  const actions = readBodyActions(body, (line) => line, reading);
  return {
    actions: actions.map(({ primary, params, ...rest }) => [primary, rest, params]),
    warnings: warningsOf(reading),
  };
};

describe('actions in a body', () => {
  test.each<[string, string, unknown[]]>([
    ['a self-closing tag', '<load item_id="a"/>', [['load', { item_id: 'a' }, {}]]],
    ['single quotes and spaces', "<load item_id = 'a' />", [['load', { item_id: 'a' }, {}]]],
    ['prose that is no XML around it', 'if a < b && c <br> <load item_id="a"/> </p>', [['load', { item_id: 'a' }, {}]]],
    [
      'params in both forms',
      '<execute item_id="t"><param name="a" value="1"/><param name="b"> x &lt; y </param></execute>',
      [['execute', { item_id: 't' }, { a: '1', b: 'x < y' }]],
    ],
    ['entities', '<search query="a &amp; b &nbsp; c & d"/>', [['search', { query: 'a & b &nbsp; c & d' }, {}]]],
    [
      'an action inside an action',
      '<execute item_id="a"><load item_id="b"/><param name="p" value="1"/></execute>',
      [
        ['execute', { item_id: 'a' }, { p: '1' }],
        ['load', { item_id: 'b' }, {}],
      ],
    ],
    ['an xml block', '```xml\n<load item_id="a"/>\n```', [['load', { item_id: 'a' }, {}]]],
    ['a tag over several lines', '<load\n  item_id="a"\n/>', [['load', { item_id: 'a' }, {}]]],
    [
      'a param with markup in it',
      '<execute item_id="t"><param name="p"><b>x</b></param></execute>',
      [['execute', { item_id: 't' }, { p: '<b>x</b>' }]],
    ],
  ])('are found in %s', (_, body, expected) => {
    expect(read(body)).toEqual({ actions: expected, warnings: [] });
  });

  test.each([
    ['a comment', '<!-- <load item_id="a"/> -->'],
    ['character data', '<![CDATA[<load item_id="a"/>]]>'],
    ['metadata', '<metadata><execute item_id="a"/></metadata>'],
    ['quoted code', 'write `<load item_id="a"/>`'],
    ['a code block', '```\n<load item_id="a"/>\n```'],
    ['an example directive', '```xml\n<directive><load item_id="a"/></directive>\n```'],
    ['a longer name', '<loader item_id="a"/>'],
    ['prose', '<load the file> and <execute'],
    ['a param on its own', '<param name="a" value="b"/>'],
  ])('are not looked for in %s', (_, body) => {
    expect(read(body)).toEqual({ actions: [], warnings: [] });
  });

  test.each([
    ['a bare word', 'use <load> for it', [], 'no action'],
    ['a tag without an end', 'a <load item_id="x"> b', [['load', { item_id: 'x' }, {}]], 'never ended'],
    ['a half readable tag', '<load item_id="x" the rest>', [], "can't be read"],
    [
      'a repeated param',
      '<load item_id="x"><param name="a" value="1"/><param name="a" value="2"/></load>',
      [['load', { item_id: 'x' }, { a: '2' }]],
      'twice',
    ],
    ['no item', '<execute source="user"/>', [['execute', { source: 'user' }, {}]], 'no item_id'],
    [
      'an item among the params of a tool',
      '<execute><param name="item_id" value="x"/></execute>',
      [['execute', {}, { item_id: 'x' }]],
      'no item_id',
    ],
    ['neither item nor query', '<fetch limit="1"/>', [['fetch', { limit: '1' }, {}]], 'neither item_id nor query'],
    [
      'an unnamed param',
      '<load item_id="x"><param value="1"/></load>',
      [['load', { item_id: 'x' }, {}]],
      'usable name',
    ],
    ['params as an attribute', '<load params="x" item_id="x"/>', [['load', { item_id: 'x' }, {}]], '"params"'],
    [
      'the context of a call as an attribute',
      '<load _thread_context="x" item_id="x"/>',
      [['load', { _thread_context: 'x', item_id: 'x' }, {}]],
      'line 1: <load> in the body has "_thread_context"',
    ],
    [
      'the context of a call as a param',
      '<execute item_id="x"><param name="_thread_context">{}</param></execute>',
      [['execute', { item_id: 'x' }, { _thread_context: '{}' }]],
      '"_thread_context"',
    ],
    ['__proto__ as an attribute', '<load __proto__="x" item_id="x"/>', [['load', { item_id: 'x' }, {}]], '__proto__'],
  ])('are remarked on for %s', (_, body, expected, remark) => {
    expect(read(body)).toEqual({ actions: expected, warnings: [expect.stringContaining(remark)] });
  });
});
