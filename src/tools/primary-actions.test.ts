import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createItemBench, STOPPED_CLOCK, type ItemBench } from './fixtures/item-bench.ts';
import type { GivenAction } from './primary-request.ts';

let bench: ItemBench;
beforeEach(() => {
  bench = createItemBench({ agent: { inputEnv: ['CITY'] }, env: { CITY: 'Berne', SECRET: 'hidden' } });
  bench.write('project/.ai/directives/demo/greet.md', GREET);
  bench.write('project/.ai/knowledge/demo/rules.md', RULES);
  bench.write('project/.ai/tools/demo/add.js', ADD);
});
afterEach(() => bench[Symbol.dispose]());

const GREET = `# Greeting

\`\`\`xml
<directive name="greet" version="1.2.0">
  <metadata><description>Greets somebody</description><category>demo</category></metadata>
  <inputs>
    <input name="name" type="string" required="true">Whom to greet</input>
    <input name="times" type="integer" default="2">How often</input>
  </inputs>
</directive>
\`\`\`

Greet {input:name} {input:times} times, {input:style:politely}, in {env:CITY}; not {env:SECRET:nowhere}.

<execute item_type="tool" item_id="demo/add"><param name="a">{input:times}</param></execute>
`;

const RULES = `---
name: rules
title: House rules
category: demo
tags: [house, rules]
version: "1.0.0"
---

Shoes off at the door.
`;

const ADD = `export const __version__ = '1.0.0';
export const __tool_type__ = 'javascript';
export const __executor_id__ = 'rye/core/runtimes/node_runtime';
export const __category__ = 'demo';
export const __tool_description__ = 'Adds numbers';
export const CONFIG_SCHEMA = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number', default: 1 } },
  required: ['a'],
};
export function execute({ a, b }, projectPath) {
  if (a < 0) throw new Error('below zero');
  return { sum: a + b, inProject: projectPath === process.cwd() };
}
`;

const directive = (primary: string, rest: GivenAction = {}): GivenAction => {
  return { primary, item_type: 'directive', item_id: 'demo/greet', ...rest };
};
const tool = (primary: string, rest: GivenAction = {}): GivenAction => {
  return { primary, item_type: 'tool', item_id: 'demo/add', ...rest };
};
const knowledge = (primary: string, rest: GivenAction = {}): GivenAction => {
  return { primary, item_type: 'knowledge', item_id: 'demo/rules', ...rest };
};

const LOADED_RULES = { content: 'Shoes off at the door.', title: 'House rules', name: 'rules', source: 'project' };
const LOADED_GREET = {
  body: expect.stringContaining('Greet {input:name} {input:times} times'),
  content: expect.stringMatching(/^<directive name="greet"/),
  preamble: expect.stringContaining('# Greeting'),
  version: '1.2.0',
  inputs: [expect.objectContaining({ name: 'name', required: true }), expect.objectContaining({ default: 2 })],
  permissions: null,
  extends: null,
};
const LOADED_ADD = {
  raw: ADD,
  description: 'Adds numbers',
  tool_type: 'javascript',
  executor_id: 'rye/core/runtimes/node_runtime',
  input_schema: expect.objectContaining({ required: ['a'] }),
  idempotent: false,
  timeout_seconds: null,
};

describe('A primary action on an item', () => {
  test.each<[string, GivenAction, unknown]>([
    ['execute, tool', tool('execute', { params: { a: 4 } }), { sum: 5, inProject: true }],
    [
      'execute, tool, texts as params',
      tool('execute', { params: { a: '4', b: '2.5' } }),
      { sum: 6.5, inProject: true },
    ],
    [
      'execute, directive',
      directive('execute', { params: { name: 'Ada' } }),
      {
        name: 'greet',
        description: 'Greets somebody',
        preamble: expect.stringContaining('# Greeting'),
        body: expect.stringContaining('Greet Ada 2 times, politely, in Berne; not nowhere.'),
        content: expect.stringContaining('<input name="name"'),
        actions: [{ primary: 'execute', item_type: 'tool', item_id: 'demo/add', params: { a: '2' } }],
        inputs: { name: 'Ada', times: 2 },
        outputs: [],
      },
    ],
    ['execute, knowledge', knowledge('execute'), expect.objectContaining(LOADED_RULES)],
    ['load, directive', directive('load'), expect.objectContaining(LOADED_GREET)],
    ['load, tool', tool('load'), expect.objectContaining(LOADED_ADD)],
    ['load, knowledge', knowledge('load'), expect.objectContaining(LOADED_RULES)],
    ['fetch by id, directive', directive('fetch'), expect.objectContaining(LOADED_GREET)],
    ['fetch by id, tool', tool('fetch'), expect.objectContaining(LOADED_ADD)],
    ['fetch by id, knowledge', knowledge('fetch'), expect.objectContaining(LOADED_RULES)],
    ['sign, directive', directive('sign'), expect.objectContaining({ signed: true, source: 'project' })],
    [
      'sign, tool',
      tool('sign'),
      expect.objectContaining({ signed: true, key: expect.stringMatching(/^[0-9a-f]{16}$/) }),
    ],
    [
      'sign, knowledge',
      knowledge('sign'),
      expect.objectContaining({ signed: true, path: expect.stringMatching(/rules\.md$/) }),
    ],
  ])('%s: gives its data', async (_, action, data) => {
    const result = await bench.dispatch(action);
    expect(result).toMatchObject({ status: 'success', type: action['item_type'], item_id: action['item_id'] });
    expect(result).toEqual(expect.objectContaining({ data }));
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  test.each<[string, GivenAction, string, RegExp]>([
    ['execute, tool that throws', tool('execute', { params: { a: -1 } }), 'tool_failed', /below zero/],
    ['execute, tool without its input', tool('execute'), 'tool_input_invalid', /\ba\b/],
    [
      'execute, tool with a text that is no number',
      tool('execute', { params: { a: 'x' } }),
      'tool_input_invalid',
      /a must be number/,
    ],
    [
      'execute, missing tool',
      tool('execute', { item_id: 'demo/none' }),
      'item_not_found',
      /no tool "demo\/none" in project/,
    ],
    ['execute, tool of another space', tool('execute', { source: 'user' }), 'item_not_found', /in user/],
    ['execute, directive without its input', directive('execute'), 'missing_input', /needs the inputs: name/],
    [
      'execute, directive with a wrong input',
      directive('execute', { params: { name: 'A', times: 'x' } }),
      'invalid_input',
      /times/,
    ],
    ['execute, missing directive', directive('execute', { item_id: 'demo/none' }), 'item_not_found', /no directive/],
    ['execute, missing knowledge', knowledge('execute', { item_id: 'demo/none' }), 'item_not_found', /no knowledge/],
    ['load, missing directive', directive('load', { source: 'system' }), 'item_not_found', /in system/],
    ['load, missing tool', tool('load', { item_id: 'x' }), 'item_not_found', /no tool/],
    ['load, missing knowledge', knowledge('load', { source: 'user' }), 'item_not_found', /in user/],
    ['fetch, missing', knowledge('fetch', { item_id: 'x' }), 'item_not_found', /no knowledge/],
    ['sign, missing directive', directive('sign', { item_id: 'x' }), 'item_not_found', /no directive/],
    [
      'sign, tool of the system',
      tool('sign', { item_id: 'rye/file-system/read' }),
      'permission_denied',
      /belongs to the package/,
    ],
    ['sign, missing knowledge', knowledge('sign', { source: 'user' }), 'item_not_found', /in user/],
  ])('%s: is an error result', async (_, action, code, error) => {
    const result = await bench.dispatch(action);
    expect(result).toMatchObject({ status: 'error', code, type: action['item_type'], item_id: action['item_id'] });
    expect(result).toEqual(expect.objectContaining({ error: expect.stringMatching(error) }));
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  test.each([
    ['loaded', directive('load')],
    ['executed', directive('execute', { params: { name: 'Ada' } })],
    ['loaded by executing it', knowledge('execute')],
  ])('says of an item that nobody signed, when it is %s', async (_name, action) => {
    const { item_type, item_id } = action;
    const warning = `The ${String(item_type)} "${String(item_id)}" of the project space is not signed`;
    expect(await bench.dispatch(action)).toMatchObject({ warnings: [warning] });
  });

  test('that lacks inputs tells which there are', async () => {
    const result = await bench.dispatch(directive('execute'));
    expect(result).toHaveProperty('declared_inputs', [
      { name: 'name', type: 'string', required: true, description: 'Whom to greet' },
      { name: 'times', type: 'integer', required: false, description: 'How often', default: 2 },
    ]);
  });

  test('takes the item of the first space that has it, or of the named one', async () => {
    bench.write('user/knowledge/demo/rules.md', RULES.replace('Shoes off', 'Shoes on'));
    const sources = await Promise.all(
      [undefined, 'project', 'user'].map((source) => bench.dispatch(knowledge('load', { source }))),
    );
    expect(sources.map((result) => (result.status === 'success' ? result.data : result))).toMatchObject([
      { source: 'project' },
      { source: 'project' },
      { source: 'user', content: 'Shoes on at the door.' },
    ]);
  });

  test('executes the tool of the named space', async () => {
    bench.write('user/tools/demo/add.js', ADD.replace('a + b', 'a - b'));
    const run = (source: string) => bench.dispatch(tool('execute', { source, params: { a: 4 } }));
    expect([await run('user'), await run('project')]).toMatchObject([{ data: { sum: 3 } }, { data: { sum: 5 } }]);
  });

  test('says how an item stands with its signature, and refuses a wrong one', async () => {
    const state = async (): Promise<unknown> => ((await bench.dispatch(knowledge('load'))) as { data?: unknown }).data;
    expect(await state()).toMatchObject({ signature: { state: 'unsigned' } });
    await bench.dispatch(knowledge('sign'));
    expect(await state()).toMatchObject({
      signature: {
        state: 'trusted',
        key: expect.stringMatching(/^[0-9a-f]{16}$/),
        signed_at: expect.stringMatching(/Z$/),
      },
    });
    bench.write(
      'project/.ai/knowledge/demo/rules.md',
      bench.read('project/.ai/knowledge/demo/rules.md').replace('off', 'on'),
    );
    expect(await bench.dispatch(knowledge('load'))).toMatchObject({ status: 'error', code: 'signature_wrong' });
  });

  test('is seen at once after signing, also by what reads items from memory', async () => {
    bench[Symbol.dispose]();
    const trust = { project: 'strict', user: 'warn', system: 'off' } as const;
    bench = createItemBench({ clock: STOPPED_CLOCK, agent: { trust } });
    bench.write('project/.ai/tools/demo/add.js', ADD);
    const run = () => bench.dispatch(tool('execute', { params: { a: 1 } }));
    expect(await run()).toMatchObject({ status: 'error', code: 'item_unsigned' });
    await bench.dispatch(tool('sign'));
    expect(await run()).toMatchObject({ status: 'success', data: { sum: 2 } });
  });

  test('does not sign what does not fit its schema', async () => {
    bench.write('project/.ai/tools/demo/bare.js', ADD.replace(/.*__version__.*\n/, ''));
    const result = await bench.dispatch(tool('sign', { item_id: 'demo/bare' }));
    expect(result).toMatchObject({
      status: 'error',
      code: 'invalid_item',
      detail: { problems: [expect.stringContaining('version')] },
    });
    expect(bench.read('project/.ai/tools/demo/bare.js')).not.toContain('rye:signed');
  });
});

describe('Copying an item', () => {
  const copy = (rest: GivenAction = {}) => bench.dispatch(knowledge('load', { destination: 'user', ...rest }));
  const COPY = 'user/knowledge/demo/rules.md';

  test('keeps every byte, so that its signature stays good', async () => {
    bench.write('project/.ai/knowledge/demo/rules.md', `\uFEFF${RULES.replaceAll('\n', '\r\n')}`);
    await bench.dispatch(knowledge('sign'));
    const result = await copy();
    expect(result).toMatchObject({ status: 'success', data: { copy: { source: 'project', destination: 'user' } } });
    const [original, copied] = ['project/.ai/knowledge/demo/rules.md', COPY].map((path) =>
      readFileSync(join(dirname(bench.projectPath), path)),
    );
    expect(copied?.equals(original ?? Buffer.alloc(0))).toBe(true);
    expect(await bench.dispatch(knowledge('load', { source: 'user' }))).toMatchObject({
      data: { signature: { state: 'trusted' } },
    });
  });

  test('brings an item of the system into the project', async () => {
    const action = tool('load', { item_id: 'rye/file-system/read', destination: 'project' });
    expect(await bench.dispatch(action)).toMatchObject({ status: 'success', data: { source: 'system' } });
    expect(await bench.dispatch(tool('load', { item_id: 'rye/file-system/read' }))).toMatchObject({
      data: { source: 'project' },
    });
  });

  describe('that is a tool', () => {
    const SHIPPED = ['read', 'text-file', 'project-path'].map((name) => `user/tools/rye/file-system/${name}.js`);
    const read = (rest: GivenAction = {}) =>
      tool('load', { item_id: 'rye/file-system/read', destination: 'user', ...rest });
    const inRoot = (path: string): string => join(dirname(bench.projectPath), path);
    const isThere = (path: string): boolean => existsSync(inRoot(path));
    /** Writes files of the project, by their paths from its tools. */
    const write = (files: Readonly<Record<string, string>>): void => {
      for (const [name, text] of Object.entries(files)) bench.write(`project/.ai/tools/${name}`, text);
    };
    const copyTop = () => bench.dispatch(tool('load', { item_id: 'a/top', destination: 'user' }));
    const TOP = `${ADD}\nimport './`;

    test('takes the modules along that it imports, names them, and can be run', async () => {
      const result = await bench.dispatch(read());
      const [path, ...imports] = SHIPPED.map(inRoot);
      expect(result).toMatchObject({ status: 'success', data: { copy: { path, imports: imports.toReversed() } } });
      bench.write('project/x.txt', 'here');
      const run = tool('execute', { item_id: 'rye/file-system/read', source: 'user', params: { path: 'x.txt' } });
      expect(await bench.dispatch(run)).toMatchObject({ status: 'success', data: { content: 'here' } });
    });

    test('takes those along that they import, byte for byte, and again nothing that is there', async () => {
      write({
        'a/top.js': `${TOP}../b/one.mjs'; import('./not-there.js'); import 'node:fs'; import type { X } from './types.ts';`,
        'b/one.mjs': "\uFEFFexport * from '../a/two.ts';\r\n",
        'a/two.ts': "import '../b/one.mjs'; import './top.js'; await import('./three.js');",
        'a/three.js': '',
      });
      expect(await bench.dispatch(tool('load', { item_id: 'a/two', destination: 'user' }))).toMatchObject({
        data: {
          copy: { imports: ['b/one.mjs', 'a/top.js', 'a/three.js'].map((file) => inRoot(`user/tools/${file}`)) },
        },
      });
      expect(bench.read('user/tools/b/one.mjs')).toBe(bench.read('project/.ai/tools/b/one.mjs'));
      rmSync(inRoot('user/tools/a/two.ts'));
      const again = await bench.dispatch(tool('load', { item_id: 'a/two', destination: 'user' }));
      expect(again).toMatchObject({ status: 'success', data: { copy: { path: inRoot('user/tools/a/two.ts') } } });
      expect(again).not.toHaveProperty('data.copy.imports');
    });

    test.each<[string, Readonly<Record<string, string>>, string, RegExp]>([
      ['one that is not there', {}, 'invalid_argument', /"a\/top" imports \.\/one\.js, which is not there/],
      ['one with a wrong signature', { 'a/one.js': '// rye:signed:x' }, 'signature_wrong', /imports \.\/one\.js/],
      [
        'one that is no tool file',
        { 'a/one.js': "import './two.cjs'", 'a/two.cjs': '' },
        'item_not_found',
        /imports \.\/two\.cjs/,
      ],
      [
        'one beside the tools',
        { 'a/one.js': "import '../../x.js'", '../x.js': '' },
        'item_id_refused',
        /imports \.\.\/\.\.\/x\.js/,
      ],
      [
        'one that another file hides',
        { 'a/one.js': '', 'a/one.py': '' },
        'invalid_argument',
        /not the tool file that has the id a\/one/,
      ],
      [
        'one that is there as another',
        { 'a/one.js': '', '../../../user/tools/a/one.js': '1' },
        'invalid_argument',
        /has another tool "a\/one"/,
      ],
      [
        'one whose place another type has',
        { 'a/one.js': '', '../../../user/tools/a/one.py': '' },
        'invalid_argument',
        /has another tool/,
      ],
      [
        'a package that is not there',
        { 'a/one.js': "import 'pack/x'", '../node_modules/pack/package.json': '{}' },
        'invalid_argument',
        /imports the package pack\/x/,
      ],
    ])('that imports %s is refused, and nothing is copied', async (_, files, code, error) => {
      write({ 'a/top.js': `${TOP}one.js'`, ...files });
      expect(await copyTop()).toMatchObject({ status: 'error', code, error: expect.stringMatching(error) });
      expect(isThere('user/tools/a/top.js')).toBe(false);
    });

    test('that imports a module needs the rights to copy that, too, unless it is there', async () => {
      write({ 'a/top.js': `${TOP}one.js'`, 'a/one.js': '' });
      const top = bench.caller('rye.load.tool.a.top', 'rye.sign.tool.a.top');
      const action = tool('load', { item_id: 'a/top', destination: 'user' });
      expect(await bench.dispatch(action, top)).toMatchObject({
        code: 'permission_denied',
        detail: { capability: 'rye.load.tool.a.one' },
      });
      bench.write('user/tools/a/one.js', '');
      expect(await bench.dispatch(action, top)).toMatchObject({ status: 'success' });
    });

    test('writes nothing in a dry run, and says what it would', async () => {
      expect(await bench.dispatch(read({ dry_run: true }))).toMatchObject({
        data: { dry_run: true, copy: { imports: [expect.any(String), expect.any(String)] } },
      });
      expect(SHIPPED.filter(isThere)).toEqual([]);
    });
  });

  test.each([
    [undefined, 'Mine'],
    [true, 'House rules'],
  ])('with overwrite %s leaves %s there', async (overwrite, title) => {
    bench.write(COPY, RULES.replace('House rules', 'Mine'));
    const result = await copy({ overwrite });
    expect(result.status).toBe(overwrite ? 'success' : 'error');
    expect(bench.read(COPY)).toContain(title);
  });

  test('puts no file of another type beside one of the same id', async () => {
    bench.write('user/tools/demo/add.py', '__version__ = "1"\n');
    const result = await bench.dispatch(tool('load', { destination: 'user', overwrite: true }));
    expect(result).toMatchObject({
      status: 'error',
      code: 'invalid_argument',
      error: expect.stringMatching(/\.py file/),
    });
  });

  test.each<[string, GivenAction, string]>([
    ['to where it is', { destination: 'project' }, 'invalid_argument'],
    ['to the system space', { destination: 'system' }, 'invalid_argument'],
    ['of what is not there', { item_id: 'none' }, 'item_not_found'],
  ])('%s is refused', async (_, rest, code) => {
    expect(await copy(rest)).toMatchObject({ status: 'error', code });
  });

  test('of what has a wrong signature is refused', async () => {
    await bench.dispatch(knowledge('sign'));
    bench.write(
      'project/.ai/knowledge/demo/rules.md',
      bench.read('project/.ai/knowledge/demo/rules.md').replace('off', 'on'),
    );
    expect(await copy()).toMatchObject({ status: 'error', code: 'signature_wrong' });
    expect(existsSync(join(dirname(bench.projectPath), COPY))).toBe(false);
  });

  test.each([['knowledge'], ['knowledge/demo']])('never follows a link at %s out of the space', async (link) => {
    const outside = join(dirname(bench.projectPath), 'outside');
    const at = join(dirname(bench.projectPath), 'user', link);
    mkdirSync(join(outside, 'demo'), { recursive: true });
    mkdirSync(dirname(at), { recursive: true });
    symlinkSync(link === 'knowledge' ? outside : join(outside, 'demo'), at);
    expect(await copy()).toMatchObject({ status: 'error', code: 'item_id_refused' });
    expect(existsSync(join(outside, 'demo', 'rules.md'))).toBe(false);
  });

  test('to a space that is no folder says so', async () => {
    bench.write('user/knowledge', 'a file');
    expect(await copy()).toMatchObject({ status: 'error', code: 'item_id_refused' });
  });

  test('with dry_run says where to and writes nothing', async () => {
    const result = await copy({ dry_run: true });
    expect(result).toMatchObject({
      data: { dry_run: true, copy: { path: expect.stringMatching(/user\/knowledge\/demo\/rules\.md$/) } },
    });
    expect(existsSync(join(dirname(bench.projectPath), COPY))).toBe(false);
  });
});

describe('Searching', () => {
  const search = (query: string, rest: GivenAction = {}) => bench.dispatch({ primary: 'search', query, ...rest });
  const found = async (...asked: Parameters<typeof search>): Promise<unknown> => {
    const result = await search(...asked);
    const data =
      result.status === 'success' ? (result.data as { results: { item_id: string; source: string }[] }) : undefined;
    return data?.results.map(({ item_id: id, source }) => `${source}:${id}`);
  };

  test.each<[string, GivenAction, readonly string[]]>([
    [
      'everything',
      { query: 'demo', source: 'project' },
      ['project:demo/add', 'project:demo/greet', 'project:demo/rules'],
    ],
    ['one kind', { query: 'demo', item_type: 'knowledge' }, ['project:demo/rules']],
    ['a category', { query: '', category: 'demo', item_type: 'tool' }, ['project:demo/add']],
    ['tags', { query: '', tags: 'house, rules' }, ['project:demo/rules']],
    ['one space', { query: 'shoes', source: 'user' }, []],
    ['by fetch', { primary: 'fetch', query: 'shoes' }, ['project:demo/rules']],
  ])('%s finds what fits', async (_, action, ids) => {
    const result = await found('', action);
    expect([...(result as string[])].toSorted()).toEqual(ids);
  });

  test('gives what a result is, and what shadows it', async () => {
    bench.write('user/knowledge/demo/rules.md', RULES);
    const result = await search('shoes');
    expect(result).toMatchObject({
      status: 'success',
      type: null,
      item_id: null,
      data: {
        total: 2,
        results: [
          {
            item_type: 'knowledge',
            item_id: 'demo/rules',
            source: 'project',
            title: 'House rules',
            tags: ['house', 'rules'],
            category: 'demo',
          },
          { item_id: 'demo/rules', source: 'user', shadowed_by: 'project' },
        ],
      },
    });
    expect(result).not.toHaveProperty('data.results.0.shadowed_by');
  });

  test('finds a copy that was just made', async () => {
    bench[Symbol.dispose]();
    bench = createItemBench({ clock: STOPPED_CLOCK });
    bench.write('project/.ai/knowledge/demo/rules.md', RULES);
    expect(await found('shoes', { source: 'user' })).toEqual([]);
    await bench.dispatch(knowledge('load', { destination: 'user' }));
    expect(await found('shoes', { source: 'user' })).toEqual(['user:demo/rules']);
  });

  test('shows nothing of an item that could not be loaded, and says so', async () => {
    bench.write('project/.ai/directives/demo/broken.md', '# Demo\n\n```xml\n<directive name="broken">\n```\n');
    expect(await found('broken')).toEqual([]);
    const result = await search('broken');
    expect(result).toMatchObject({ data: { skipped: 1 }, warnings: [expect.stringContaining('demo/broken')] });
  });

  test('leaves a helper module beside the tools out, without a word', async () => {
    bench.write('project/.ai/tools/demo/words.js', 'export const words = ["demo"];\n');
    const result = await search('words', { source: 'project' });
    expect(result).toMatchObject({ data: { results: [], skipped: 0 } });
    expect(result).not.toHaveProperty('warnings');
  });

  test('says where there is more than is looked into, once for a kind and space', async () => {
    const deep = `project/.ai/knowledge/${Array.from({ length: 17 }, () => 'a').join('/')}`;
    for (const end of ['one', 'two']) bench.write(`${deep}/${end}/rules.md`, RULES);
    const notes = ['the project space has more under knowledge than is searched: more than 16 folders deep'];
    expect(await search('shoes')).toMatchObject({ data: { total: 1 }, warnings: notes });
  });

  test.each<[string, string, string]>([
    ['tool', 'demo/add', 'adds'],
    ['directive', 'demo/greet', 'greets'],
  ])('finds a signed %s by what it says, not by its signature', async (kind, id, word) => {
    const signed = await bench.dispatch({ primary: 'sign', item_type: kind, item_id: id });
    expect(signed).toMatchObject({ status: 'success' });
    expect(await found('rye signed', { source: 'project' })).toEqual([]);
    const snippet = expect.not.stringMatching(/==:|-->/);
    expect(await search(word, { item_type: kind, source: 'project' })).toMatchObject({
      data: { results: [{ item_id: id, snippet }] },
    });
  });

  test('with a malformed query is an error result', async () => {
    expect(await search('(a')).toMatchObject({ status: 'error', code: 'invalid_argument', item_id: null });
  });

  test('with dry_run says what would be searched', async () => {
    const result = await search('a', { dry_run: true, item_type: 'tool' });
    expect(result).toMatchObject({
      status: 'success',
      type: 'tool',
      data: { dry_run: true, query: { text: 'a', kinds: ['tool'] } },
    });
    expect(existsSync(join(bench.projectPath, '.ai/cache'))).toBe(false);
  });

  test('shows only what the caller may search, up to the limit', async () => {
    for (const at of [1, 2, 3]) bench.write(`project/.ai/knowledge/open/note-${at}.md`, RULES);
    const context = bench.caller('rye.search.knowledge.open.*');
    const result = await bench.dispatch({ primary: 'search', query: 'shoes', limit: 2 }, context);
    expect(result).toMatchObject({
      data: {
        total: 3,
        results: [{ item_id: /^open/ }, { item_id: /^open/ }].map(() => ({
          item_id: expect.stringMatching(/^open\//),
        })),
      },
    });
  });

  test.each([['shoes'], ['nothing-has-this-word']])('for %s without any right to it is denied', async (query) => {
    const context = bench.caller('rye.execute.*', 'rye.search.tool.*');
    const result = await bench.dispatch({ primary: 'search', item_type: 'knowledge', query }, context);
    expect(result).toMatchObject({
      status: 'error',
      code: 'permission_denied',
      detail: { capability: 'rye.search.knowledge.*' },
    });
  });
});
