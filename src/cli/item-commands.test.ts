import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeBelow } from '../../test/fixtures/write-below.ts';
import { commandIn } from './fixtures/command-in.ts';

/* From the sources, where the system space is not signed; test/item-commands.test.ts has what was built. */

const DIRECTIVE = `# Check

\`\`\`xml
<directive name="check" version="1.0.0" mood="good">
  <metadata>
    <description>Checks a service</description>
    <limits><turns>4</turns><max_spend>0.05</max_spend></limits>
    <permissions><execute><tool>demo/*</tool></execute></permissions>
    <context><before>team/rules</before></context>
  </metadata>
  <inputs><input name="service" required="true">Which one</input><input name="depth" type="integer" default="2"/></inputs>
  <outputs><output name="verdict">How it is</output></outputs>
  <hooks><hook id="note" event="error"><load item_type="knowledge" item_id="team/rules"/></hook></hooks>
</directive>
\`\`\`

Look at {input:service}, then <execute item_type="tool" item_id="demo/say"><param name="text">hi</param></execute>
`;

const TOOL = `export const __version__ = '1.0.0';
export const __tool_type__ = 'node';
export const __tool_description__ = 'Says something';
export const CONFIG_SCHEMA = {
  type: 'object',
  properties: { text: { type: 'string', minLength: 1, description: 'What to say' }, loud: { type: ['boolean', 'null'] } },
  required: ['text'],
  additionalProperties: false,
};
export const execute = ({ text }) => text;
`;

const KNOWLEDGE =
  '---\ntitle: The rules\ndescription: What we hold to\ntags: [team, rules]\ncategory: team\n---\nBe kind.\n';

let root: string;
let project: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'skein-cli-items-')));
  project = join(root, 'project');
  put('user/config/agent.yaml', 'schema_version: "1.0.0"\ntrust: { system: "off" }\n');
  put('project/.ai/directives/ops/check.md', DIRECTIVE);
  put('project/.ai/tools/demo/say.js', TOOL);
  put('project/.ai/knowledge/team/rules.md', KNOWLEDGE);
});
afterEach(() => rmSync(root, { recursive: true }));

describe('skein item list', () => {
  test('has every item of the spaces by kind and id, and marks what is wrong without failing', async () => {
    put('project/.ai/directives/broken.md', DIRECTIVE.replace('</outputs>', ''));
    put('user/tools/demo/say.sh', '# __tool_type__: tool\n');
    put('user/tools/demo/helper.js', 'export const a = 1;\n');
    put('user/knowledge/odd.md', '<!-- rye:signed:t -->\ntext\n');
    put('user/knowledge/binary.md', Buffer.from([0xff, 0xfe]));
    const { code, out, err } = await skein('item', 'list');
    expect(code).toBe(0);
    const lines = out.split('\n').filter((line) => !line.includes('  system  '));
    expect(lines).toEqual([
      expect.stringMatching(
        /^unsigned {5}project {2}directive {2}broken {2}\[REFUSED: .*broken\.md:\d+\) \[invalid_item\]\]$/,
      ),
      'unsigned     project  directive  ops/check  [2 warnings]',
      'unsigned     user     tool       demo/helper  [no tool: it states no contract]',
      'unsigned     project  tool       demo/say',
      'unsigned     user     tool       demo/say  [shadowed by project]',
      expect.stringMatching(/^unreadable {3}user {5}knowledge {2}binary {2}\[REFUSED: .*not valid UTF-8/),
      expect.stringMatching(/^wrong {8}user {5}knowledge {2}odd {2}\[REFUSED: .*odd\.md:1\) \[signature_wrong\]\]$/),
      'unsigned     project  knowledge  team/rules',
      '',
    ]);
    expect(err).toMatch(/^\d+ items, 1 shadowed, 3 refused\n$/);
    expect(out).toMatch(/^unsigned {5}system {3}tool {7}rye\/file-system\/read$/m);
  });

  test('takes one kind and one space', async () => {
    const { out, err } = await skein('item', 'list', '--kind', 'knowledge', '--space', 'project');
    expect({ out, err }).toEqual({
      out: 'unsigned     project  knowledge  team/rules\n',
      err: '1 item, none shadowed, none refused\n',
    });
  });

  test('gives JSON', async () => {
    put('user/knowledge/team/rules.md', '---\ntitle: [not, text\n---\n');
    const { out, err } = await skein('item', 'list', '--kind', 'knowledge', '--json');
    const items = (JSON.parse(out) as { space: string }[]).filter(({ space }) => space !== 'system');
    expect(err).toBe('');
    const place = { kind: 'knowledge', id: 'team/rules', signature: { state: 'unsigned' }, warnings: [] };
    const file = join(root, 'user/knowledge/team/rules.md');
    expect(items).toEqual([
      {
        ...place,
        space: 'project',
        file: join(project, '.ai/knowledge/team/rules.md'),
        shadowed_by: null,
        refused: null,
        declared: true,
        name: 'rules',
        title: 'The rules',
        description: 'What we hold to',
        category: 'team',
        tags: ['team', 'rules'],
        version: '',
      },
      {
        ...place,
        space: 'user',
        file,
        shadowed_by: 'project',
        refused: { code: 'invalid_item', message: expect.any(String), file, line: 3, path: null },
      },
    ]);
  });

  test('is empty where there is nothing', async () => {
    mkdirSync(join(root, 'empty'));
    const run = await skein('item', 'list', '--space', 'project', '--project', '../empty');
    expect(run).toEqual({ code: 0, out: '', err: '0 items, none shadowed, none refused\n' });
  });
});

describe('skein item show', () => {
  test('prints what was read of a directive, from where, and what is wrong with it', async () => {
    put('user/directives/ops/check.md', DIRECTIVE);
    expect(await skein('item', 'show', 'ops/check')).toEqual({
      code: 0,
      err: '',
      out: `directive ops/check, in the project space
  file         ${join(project, '.ai/directives/ops/check.md')}
  signature    none
  shadows      the one of the user space
  warnings     line 4: the attribute "mood" of <directive> is not known and is ignored
               line 7: the limit "max_spend" is an old spelling of "spend"
  name         check
  version      1.0.0
  category     ops
  description  Checks a service
  limits       turns 4, spend 0.05
  permissions  rye.execute.tool.demo.*
  inputs       service (string, required): Which one
               depth (integer, optional, default 2)
  outputs      verdict (string, required): How it is
  context      before: team/rules
  hooks        note: on error: load knowledge team/rules
  actions      execute tool demo/say with {"text":"hi"}

Look at {input:service}, then <execute item_type="tool" item_id="demo/say"><param name="text">hi</param></execute>
`,
    });
    const shadowed = await skein('item', 'show', 'ops/check', '--space', 'user');
    expect(shadowed.out).toMatch(
      /in the user space\n[^]*\n {2}shadowed +the one of the project space is taken instead\n/,
    );
  });

  test('prints the chain of a tool, and its parameters', async () => {
    const { code, out } = await skein('item', 'show', 'demo/say');
    expect(code).toBe(0);
    expect(out).toContain(`
  tool type    node
  executor     rye/core/runtimes/node_runtime
  chain        demo/say (project) → rye/core/runtimes/node_runtime (system) → rye/core/primitives/subprocess (system)
  runs with    interpreter: ${process.execPath}
               command: \${interpreter}
`);
    expect(out).toMatch(
      / {2}parameters {3}text \(string, required, minLength 1\): What to say\n +loud \(boolean or null, optional\)\n +and no others\n$/,
    );
  });

  test.each([
    ['an executor that is not there', "export const __executor_id__ = 'demo/nobody';", 'item_not_found'],
    [
      'a schema that can not be used',
      "export const CONFIG_SCHEMA = { properties: { a: { pattern: '(' } } };",
      'invalid_item',
    ],
    ['an executor that is a tool', "export const __executor_id__ = 'demo/say';", 'invalid_item'],
  ])('says why a tool can not run: %s', async (_, line, code) => {
    put('project/.ai/tools/bad.js', `export const __tool_type__ = 'node';\n${line}\n`);
    expect((await skein('item', 'show', 'bad')).out).toMatch(new RegExp(`CAN NOT RUN.*\\[${code}\\]\n`));
    const [item] = JSON.parse((await skein('item', 'show', 'bad', '--json')).out) as { run: object }[];
    expect(item).toMatchObject({ run: { problem: { code, file: expect.any(String) } } });
  });

  test.each([
    ['a program that is not there', 'subprocess', '{command: /no/such/program, args: [], input: none}', 'tool_failed'],
    ['a variable that is none', 'subprocess', "{command: /bin/sh, args: ['${nobody}'], input: none}", 'invalid_item'],
    ['the primitive of the thread tools', 'thread', '{}', 'not_available'],
    ['a URL with a variable that is none', 'http_client', "{url: 'https://${nobody}/', result: text}", 'invalid_item'],
    ['a URL that is not requested', 'http_client', '{url: ftp://a.example/, result: text}', 'tool_input_invalid'],
    [
      'a header with a variable that is none',
      'http_client',
      "{url: 'https://${params.host}/', headers: {x-a: '${nobody}'}, result: text}",
      'invalid_item',
    ],
    [
      'a header with a variable that is not set',
      'http_client',
      "{url: 'https://${params.host}/', headers: {x-a: 'Bearer ${env.NOBODY}'}, result: text}",
      'tool_failed',
    ],
  ])('says why a tool in YAML can not run: %s', async (_, primitive, config, code) => {
    const text = `tool_type: x\ndescription: D\nexecutor_id: rye/core/primitives/${primitive}\nconfig: ${config}\n`;
    put('project/.ai/tools/bad-chain.yaml', text);
    expect((await skein('item', 'show', 'bad-chain')).out).toMatch(new RegExp(`CAN NOT RUN.*\\[${code}\\]\n`));
  });

  test('prints the settings of a runtime, which no call leads to', async () => {
    const { out } = await skein('item', 'show', 'rye/core/runtimes/bash_runtime');
    expect(out).toMatch(/ {2}tool type +runtime\n[^]* {2}settings +env_config: \{"interpreter"/);
    expect(out).not.toContain('CAN NOT RUN');
  });

  test('says of a file among the tools that it is none', async () => {
    put('project/.ai/tools/helper.js', 'export const a = 1;\n');
    expect((await skein('item', 'show', 'helper')).out).toMatch(/ {2}no tool +the file states no contract/);
  });

  test('prints knowledge with its fields and text, also those that the project adds', async () => {
    const fields = 'fields:\n  - { id: audience, path: audience, type: string }\n';
    put('project/.ai/config/extractors/knowledge_extractor.yaml', `schema_version: "1.0.0"\n${fields}`);
    put('project/.ai/knowledge/team/rules.md', KNOWLEDGE.replace('category: team', 'audience: all\nauthor: Ada'));
    expect((await skein('item', 'show', 'team/rules')).out).toBe(`knowledge team/rules, in the project space
  file         ${join(project, '.ai/knowledge/team/rules.md')}
  signature    none
  name         rules
  title        The rules
  category     team
  tags         team, rules
  description  What we hold to
  fields       author: Ada
               audience: all

Be kind.
`);
  });

  test('shows every kind that has the id, or the one that is asked for', async () => {
    put('project/.ai/tools/team/rules.js', TOOL);
    const both = await skein('item', 'show', 'team/rules');
    expect(both.out).toMatch(/^tool team\/rules, [^]*\n\nknowledge team\/rules, /);
    expect((await skein('item', 'show', 'team/rules', '--kind', 'knowledge')).out).toMatch(/^knowledge/);
    const items = JSON.parse((await skein('item', 'show', 'team/rules', '--json')).out) as { kind: string }[];
    expect(items.map(({ kind }) => kind)).toEqual(['tool', 'knowledge']);
  });

  test('gives JSON with what loading the item gives', async () => {
    const [directive] = JSON.parse((await skein('item', 'show', 'ops/check', '--json')).out) as object[];
    expect(directive).toMatchObject({
      kind: 'directive',
      id: 'ops/check',
      space: 'project',
      outside: false,
      signature: { state: 'unsigned' },
      shadows: [],
      shadowed_by: null,
      refused: null,
      declared: true,
      warnings: [expect.stringContaining('mood'), expect.stringContaining('max_spend')],
      data: { name: 'check', limits: { turns: 4 }, inputs: [{ name: 'service' }, { name: 'depth', default: 2 }] },
    });
    const [tool] = JSON.parse((await skein('item', 'show', 'demo/say', '--json')).out) as object[];
    expect(tool).toMatchObject({
      data: { raw: TOOL },
      run: {
        chain: [{ item_id: 'demo/say', tool_type: 'node', space: 'project' }, {}, { tool_type: 'primitive' }],
        primitive: 'subprocess',
        settings: { timeout_seconds: 60, env: [] },
      },
    });
  });

  test.each([
    ['does not parse', DIRECTIVE.replace('</outputs>', ''), 'invalid_item'],
    ['is signed wrongly', `<!-- rye:signed:t -->\n${DIRECTIVE}`, 'signature_wrong'],
  ])('fails for an item that %s, with file, line and reason', async (_, text, code) => {
    put('project/.ai/directives/bad.md', text);
    const run = await skein('item', 'show', 'bad');
    expect(run.code).toBe(3);
    expect(run.out).toMatch(/^directive bad, in the project space\n[^]* {2}refused +.*bad\.md:\d+\)/);
    expect(run.err).toMatch(new RegExp(`^skein: .*bad\\.md:\\d+\\) \\[${code}\\]\n$`));
    const json = await skein('item', 'show', 'bad', '--json');
    expect(json.code).toBe(3);
    const file = join(project, '.ai/directives/bad.md');
    expect(JSON.parse(json.out)).toMatchObject([{ data: null, refused: { code, file, line: expect.any(Number) } }]);
  });

  test('fails for an item whose file can not be used, and that another space has too', async () => {
    mkdirSync(join(project, '.ai/knowledge/k.md'));
    put('user/knowledge/k.md', KNOWLEDGE);
    const run = await skein('item', 'show', 'k');
    expect(run).toMatchObject({
      code: 3,
      err: expect.stringMatching(/not a regular file .*k\.md\) \[invalid_item\]\n$/),
    });
    expect(run.out).toMatch(/ {2}signature +unknown[^]* {2}shadows +the one of the user space\n/);
  });

  test('names ids that look like one that is not there', async () => {
    const { code, err } = await skein('item', 'show', 'ops/chekc');
    expect({ code, err }).toEqual({
      code: 3,
      err: expect.stringMatching(/; there is ops\/check.*\[item_not_found\]\n$/),
    });
  });

  test('cuts long lines and texts', async () => {
    put('project/.ai/knowledge/long.md', `---\ntitle: ${'t'.repeat(5000)}\n---\n${'line\n'.repeat(60)}`);
    const { out } = await skein('item', 'show', 'long');
    expect(out).toMatch(/^ {2}title {6}t{1900,2000}… \(50\d\d characters\)$/m);
    expect(out).toMatch(/(?:^line\n){40}… 20 more lines \(--json has all\)\n$/m);
  });
});

describe('skein item show FILE', () => {
  test.each([
    ['relative', '.ai/tools/demo/say.js', 'tool demo/say, in the project space'],
    ['from above', '../project/.ai/knowledge/team/rules.md', 'knowledge team/rules, in the project space'],
    ['of the user', '../user/directives/ops/check.md', 'directive ops/check, in the user space'],
  ])('knows the item of a path: %s', async (_, path, first) => {
    put('user/directives/ops/check.md', DIRECTIVE);
    const { code, out } = await skein('item', 'show', path);
    expect({ code, first: out.split('\n')[0] }).toEqual({ code: 0, first });
  });

  test('knows the project’s own space as the user’s, if it is that through a link', async () => {
    rmSync(join(root, 'user'), { recursive: true });
    symlinkSync(join('project', '.ai'), join(root, 'user'));
    const { code, out } = await skein('item', 'show', '.ai/tools/demo/say.js');
    expect({ code, first: out.split('\n')[0] }).toEqual({ code: 0, first: 'tool demo/say, in the user space' });
  });

  test('knows a space behind a link', async () => {
    symlinkSync(project, join(root, 'link'));
    const { out } = await skein('item', 'show', '../link/.ai/tools/demo/say.js');
    expect(out).toMatch(/^tool demo\/say, in the project space\n/);
  });

  test('says that another file has the id, in a stronger space or in the same', async () => {
    put('user/tools/demo/say.js', TOOL);
    put('project/.ai/tools/demo/say.sh', '# __tool_type__: tool\n');
    expect((await skein('item', 'show', '../user/tools/demo/say.js')).out).toContain(
      'the project space is taken instead',
    );
    expect((await skein('item', 'show', '.ai/tools/demo/say.sh')).out).toMatch(
      / {2}warnings +demo\/say\.sh is passed over for demo\/say\.js in the same space\n/,
    );
  });

  test.each([
    ['by its folder', 'other/directives/a/b.md', [], 'directive a/b'],
    ['by its extension', 'b.js', [], 'tool b'],
    ['by what is asked', 'note.md', ['--kind', 'knowledge'], 'knowledge note'],
  ])('reads a file outside of the spaces as if it were in the project: %s', async (_, path, options, item) => {
    put(path, path.endsWith('.js') ? TOOL : DIRECTIVE);
    const { code, out } = await skein('item', 'show', join(root, path), ...options);
    expect({ code, first: out.split('\n')[0] }).toEqual({
      code: 0,
      first: `${item}, outside of the spaces, read as if it were in the project`,
    });
  });

  test.each<[string, string, readonly string[], string, string]>([
    ['that is not there', './nothing.md', [], 'item_not_found', 'no such file'],
    ['whose kind can not be told', '../note.md', [], 'invalid_argument', 'directive or knowledge'],
    ['of another kind', '.ai/tools/demo/say.js', ['--kind', 'knowledge'], 'invalid_argument', 'in the folder tools'],
    ['with a space', '.ai/tools/demo/say.js', ['--space', 'user'], 'invalid_argument', '--space goes with an id'],
    ['that is no item by its extension', '../notes.txt', [], 'invalid_item', '\\.md, '],
    ['that is no item of its kind', '../notes.txt', ['--kind', 'tool'], 'invalid_item', 'no tool: .*\\.py'],
    ['that is in no folder of items', './.ai/note.md', [], 'invalid_item', 'directives, tools, knowledge'],
    ['whose name is no id', './.ai/knowledge/my note.md', [], 'item_id_refused', 'a segment has a character'],
  ])('refuses a file %s', async (_, path, options, code, reason) => {
    for (const file of ['note.md', 'notes.txt', 'project/.ai/note.md', 'project/.ai/knowledge/my note.md'])
      put(file, 'x');
    const run = await skein('item', 'show', path, ...options);
    expect(run).toMatchObject({ code: code === 'invalid_argument' ? 2 : 3, out: '' });
    expect(run.err).toMatch(new RegExp(`${reason}.*\\[${code}\\]\n$`));
  });

  test('refuses a link that leads nowhere but to itself', async () => {
    symlinkSync(join(root, 'loop.md'), join(root, 'loop.md'));
    const { code, err } = await skein('item', 'show', '../loop.md');
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/loop\.md\) \[invalid_argument\]\n$/) });
  });

  test('refuses a link that leads out of its space', async () => {
    put('secret.md', KNOWLEDGE);
    symlinkSync(join(root, 'secret.md'), join(project, '.ai/knowledge/k.md'));
    const { code, out, err } = await skein('item', 'show', '.ai/knowledge/k.md');
    expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining('[item_id_refused]') });
    expect(out).not.toContain('Be kind');
  });
});

describe('skein item list tells of files that are no items', () => {
  test('what they are and why, as text and as JSON, for the kind and space that is asked for', async () => {
    put('project/.ai/tools/config.toml', 'a = 1\n');
    put('project/.ai/knowledge/two words.md', KNOWLEDGE);
    put('outside/knowledge/a.md', KNOWLEDGE);
    symlinkSync(join(root, 'outside'), join(project, '.ai/knowledge/elsewhere'));
    const { code, out, err } = await skein('item', 'list', '--space', 'project');
    expect({ code, lines: out.trimEnd().split('\n').length }).toEqual({ code: 0, lines: 3 });
    expect(err.split('\n').toSorted()).toEqual([
      '',
      '3 items, none shadowed, none refused; 3 not listed',
      `not listed: ${join(project, '.ai/knowledge/elsewhere')}: a link that leads out of the space`,
      expect.stringMatching(/^not listed: .*two words\.md: its name is no part of an id/),
      expect.stringMatching(/^not listed: .*config\.toml: its name ends in none of \.py, \.yaml/),
    ]);
    const json = await skein('item', 'list', '--kind', 'tool', '--space', 'project', '--json');
    const file = join(project, '.ai/tools/config.toml');
    expect(JSON.parse(json.out)).toEqual([
      expect.objectContaining({ kind: 'tool', id: 'demo/say' }),
      { kind: 'tool', id: null, space: 'project', file, not_listed: expect.stringContaining('ends in none') },
    ]);
  });

  test('the first twenty by line, the others by their number', async () => {
    for (let n = 0; n < 23; n++) put(`project/.ai/tools/${n}.txt`, '');
    const { err } = await skein('item', 'list', '--kind', 'tool', '--space', 'project');
    expect(err.match(/^not listed: /gm)).toHaveLength(21);
    expect(err).toContain('not listed: 3 more (--json has all)\n');
  });
});

describe('skein item search', () => {
  test('prints what was found, with the place and a few words', async () => {
    put('user/knowledge/team/rules.md', KNOWLEDGE);
    const { code, out, err } = await skein('item', 'search', 'be', 'kind', '--kind', 'knowledge');
    expect({ code, out, err }).toEqual({
      code: 0,
      out: `project  knowledge  team/rules
    The rules: Be kind.
user     knowledge  team/rules  [shadowed by project]
    The rules: Be kind.
`,
      err: '2 of 2 found\n',
    });
    expect(existsSync(join(project, '.ai/cache/items.db'))).toBe(true);
  });

  test('filters by kind, space, category and tags, up to a limit', async () => {
    put('project/.ai/knowledge/team/more.md', KNOWLEDGE.replace('[team, rules]', '[team]'));
    const found = async (...options: string[]): Promise<string[]> => {
      const { out } = await skein('item', 'search', '*', '--json', ...options);
      const { results } = JSON.parse(out) as { results: { item_id: string }[] };
      return results.map(({ item_id: id }) => id);
    };
    expect(await found('--space', 'project', '--kind', 'knowledge')).toEqual(['team/more', 'team/rules']);
    expect(await found('--category', 'team', '--tag', 'rules', '--tag', 'team')).toEqual(['team/rules']);
    expect(await found('--space', 'project', '--limit', '1')).toHaveLength(1);
  });

  test('finds nothing without failing, and counts what can not be read', async () => {
    put('project/.ai/directives/broken.md', 'nothing');
    const { code, out, err } = await skein('item', 'search', 'xyzzy');
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(err).toMatch(/^warning: directive broken can't be searched: [^]*\n0 of 0 found; 1 can't be read .*\n$/);
  });

  test('takes a query that begins with "-" behind "--", and says so where it is taken for an option', async () => {
    const refused = await skein('item', 'search', 'be', '-kind');
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('behind all options and "--"') });
    const found = async (word: string): Promise<string> => {
      const options = ['--space', 'project', '--kind', 'knowledge'];
      return (await skein('item', 'search', ...options, '--', `-${word}`, 'be')).out;
    };
    expect(await found('xyzzy')).toMatch(/^project {2}knowledge {2}team\/rules\n/);
    expect(await found('kind')).toBe('');
  });

  test('refuses a malformed query', async () => {
    expect(await skein('item', 'search', '(kind')).toEqual({
      code: 2,
      out: '',
      err: expect.stringMatching(/character 1: this "\(" is not closed \[invalid_argument\]\n$/),
    });
  });
});

test('no command shows control characters of an item', async () => {
  const evil = '\u001b[2J\u0007\u202e';
  put(
    'project/.ai/directives/evil.md',
    DIRECTIVE.replace('Checks a service', evil)
      .replace('mood="good"', `mood${evil.slice(1, 4)}="x"`)
      .replace('Look at', `${evil} Look at`),
  );
  put(
    'project/.ai/directives/evil2.md',
    DIRECTIVE.replace('Checks a service', evil).replace('Look at', `${evil} Look at`),
  );
  put('project/.ai/knowledge/evil.md', `---\ntitle: "\\e[2J\\u202e"\ntags: ["\\a"]\nodd\\e: 1\n---\n${evil}kind\n`);
  put('project/.ai/tools/evil.js', TOOL.replaceAll('Says something', '\\u001b[2J\\u202e'));
  const runs = [
    ['list'],
    ['list', '--json'],
    ...['evil', 'evil2'].flatMap((id) => [
      ['show', id],
      ['show', id, '--json'],
    ]),
    ['search', '*'],
    ['search', 'kind', '--json'],
    ['show', `./${evil}`],
    ['search', `(${evil}`],
  ];
  const printed = await Promise.all(runs.map((args) => skein('item', ...args)));
  const texts = printed.map(({ out, err }) => `${out}${err}`);
  for (const text of texts) expect(text).not.toMatch(/[^\n\P{Cc}]|\u202e/u);
  expect(texts.filter((text) => text.includes('\\u202e')).length).toBeGreaterThan(5);
});

test.each<readonly [what: string, args: readonly string[], code: string]>([
  ['no command', ['item'], 'invalid_argument'],
  ['an unknown command', ['item', 'make'], 'invalid_argument'],
  ['an unknown option', ['item', 'list', '--nope'], 'invalid_argument'],
  ['a word too many', ['item', 'list', 'x'], 'invalid_argument'],
  ['an unknown kind', ['item', 'list', '--kind', 'thing'], 'invalid_argument'],
  ['an unknown space', ['item', 'show', 'ops/check', '--space', 'world'], 'invalid_argument'],
  ['nothing to show', ['item', 'show'], 'invalid_argument'],
  ['two items to show', ['item', 'show', 'a', 'b'], 'invalid_argument'],
  ['an item that is not there', ['item', 'show', 'nobody'], 'item_not_found'],
  ['an item of a space that has it not', ['item', 'show', 'ops/check', '--space', 'user'], 'item_not_found'],
  ['an id that leads out of its space', ['item', 'show', 'a/../../x'], 'item_id_refused'],
  ['nothing to search', ['item', 'search'], 'invalid_argument'],
  ['a limit that is none', ['item', 'search', 'x', '--limit', 'many'], 'invalid_argument'],
  ['a limit beyond all', ['item', 'search', 'x', '--limit', '101'], 'invalid_argument'],
  ['a project that is not there', ['item', 'list', '--project', 'nowhere'], 'invalid_argument'],
])('%s is refused', async (_, args, code) => {
  const { code: exit, out, err } = await skein(...args);
  expect({ exit, out }).toEqual({ exit: code === 'invalid_argument' ? 2 : 3, out: '' });
  expect(err).toMatch(new RegExp(`\\[${code}\\]\n$`));
});

function skein(...args: readonly string[]): ReturnType<typeof commandIn> {
  return commandIn(root, args);
}

function put(path: string, text: string | Uint8Array): void {
  writeBelow(root, path, text);
}
