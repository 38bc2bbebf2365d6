import { describe, expect, test } from 'vitest';
import type { ItemKind } from '../core/item.ts';
import { parseText } from '../items/fixtures/parse-text.ts';
import type { ParsedItem } from '../items/parsed-item.ts';
import type { ChainView } from './item-chain.ts';
import { describeItem } from './item-facts.ts';
import type { ItemView } from './item-view.ts';

const directive = (inner: string, body = ''): string =>
  `\`\`\`xml\n<directive name="d" version="1.0.0">\n<metadata><description>D</description></metadata>\n${inner}\n</directive>\n\`\`\`\n${body}`;

describe('What is printed of a directive', () => {
  test.each<[what: string, inner: string, line: RegExp]>([
    ['no limits', '', /^ {2}limits {7}none of its own$/m],
    [
      'no permissions',
      '',
      /^ {2}permissions {2}none declared: what its base or its parent thread may do, else nothing$/m,
    ],
    ['empty permissions', '<permissions></permissions>', /^ {2}permissions {2}none: it may do nothing$/m],
    ['a base', '<extends>team/base</extends>', /^ {2}extends {6}team\/base$/m],
    ['a model', '<model tier="fast" fallback="general"/>', /^ {2}model {8}tier fast\n {15}fallback general$/m],
    [
      'an input with an empty default',
      '<inputs><input name="a" default=""/></inputs>',
      /^ {2}inputs {7}a \(string, optional, default ""\)$/m,
    ],
    [
      'an output of any type',
      '<outputs><score required="false">How good</score></outputs>',
      /^ {2}outputs {6}score \(any, optional\): How good$/m,
    ],
    [
      'a hook with a condition, options and two actions',
      `<hooks><hook id="h" event="error" timeout_ms="500"><condition path="attempt" op="lt" value="2"/>
        <load item_type="knowledge" item_id="a"/><load item_type="knowledge" item_id="b"/></hook></hooks>`,
      /^ {2}hooks {8}h: on error if \{.*"attempt".*\}: load knowledge a; load knowledge b, timeout_ms 500$/m,
    ],
    [
      'an action with attributes',
      '<search item_type="tool" query="a b" limit="3"/>',
      /^ {2}actions {6}search tool query a b limit 3$/m,
    ],
  ])('%s', (_, inner, line) => {
    expect(describeItem(viewOf('directive', directive(inner)), undefined)).toMatch(line);
  });

  test('that one in a .prompty file may do nothing', () => {
    const view = viewOf('directive', 'user:\nHi', '.prompty');
    expect(describeItem(view, undefined)).toMatch(/^ {2}permissions {2}none: it may do nothing$/m);
  });

  test.each([
    ['its body', directive('', '\nDo it.\n'), /\n\nDo it\.\n$/],
    ['that there is none', directive(''), /\n\n\(no body\)\n$/],
  ])('%s', (_, text, end) => {
    expect(describeItem(viewOf('directive', text), undefined)).toMatch(end);
  });
});

describe('What is printed of a tool', () => {
  const tool = (more: string): string => `tool_type: http\nexecutor_id: a/b\nversion: "1"\ndescription: D\n${more}`;
  const chain: ChainView = {
    chain: [
      { item_id: 't', tool_type: 'http', space: 'project' },
      { item_id: 'a/b', tool_type: 'primitive', space: 'system' },
    ],
    primitive: 'http_client',
    settings: { method: 'GET', headers: ['accept'] },
  };

  test.each<[what: string, more: string, line: RegExp]>([
    ['no schema', '', /^ {2}parameters {3}none declared$/m],
    [
      'a schema that has more than properties',
      'config_schema: { anyOf: [] }',
      /^ {2}parameters {3}\{.*"anyOf":\[\].*\}$/m,
    ],
    [
      'rules of a parameter',
      'config_schema: { properties: { a: { enum: [x, y], default: "" } } }',
      /^ {2}parameters {3}a \(any, optional, enum \["x","y"\], default ""\)$/m,
    ],
    ['a timeout', 'timeout_seconds: 5', /^ {2}timeout {6}5 s$/m],
    ['its chain', '', /^ {2}chain {8}t \(project\) → a\/b \(system\)$/m],
    ['its settings', '', /^ {2}runs with {4}method: GET\n {15}headers: \["accept"\]$/m],
  ])('%s', (_, more, line) => {
    expect(describeItem(viewOf('tool', tool(more), '.yaml'), chain)).toMatch(line);
  });

  test('why it can not run', () => {
    const failure = { code: 'item_not_found', message: 'There is none', where: { file: '/f' } } as const;
    expect(describeItem(viewOf('tool', tool(''), '.yaml'), failure)).toMatch(
      /^ {2}CAN NOT RUN {2}There is none \(\/f\) \[item_not_found\]$/m,
    );
  });
});

test.each<[ItemView['signature'], string]>([
  [{ state: 'unsigned' }, 'none'],
  [{ state: 'trusted', key: 'k', signedAt: 't' }, 'trusted, key k, t'],
  [{ state: 'unknown_key', key: 'k', signedAt: 't' }, 'by a key that is not trusted, k, t'],
  [{ state: 'wrong', reason: 'changed', line: 3 }, 'WRONG: changed (line 3)'],
  [{ state: 'wrong', reason: 'changed', line: undefined }, 'WRONG: changed'],
  [{ state: 'unreadable' }, 'unknown: the file could not be read'],
])('a signature that is %j is printed as %s', (signature, text) => {
  const view = { ...viewOf('knowledge', 'text'), signature };
  expect(describeItem(view, undefined)).toContain(`\n  signature  ${text}\n`);
});

test('a text over several lines, in a fact, stays on one', () => {
  const text = directive('').replace('<description>D', '<description>one\n  two');
  expect(describeItem(viewOf('directive', text), undefined)).toMatch(/^ {2}description {2}one two$/m);
});

function viewOf(kind: ItemKind, text: string, extension = '.md'): ItemView {
  const parsed: ParsedItem = parseText(kind, text, { id: 't', extension });
  return {
    kind,
    id: 't',
    space: 'project',
    isOutside: false,
    file: '/t',
    shadows: [],
    shadowedBy: undefined,
    signature: { state: 'unsigned' },
    warnings: [],
    content: { parsed, wholeText: text },
  };
}
