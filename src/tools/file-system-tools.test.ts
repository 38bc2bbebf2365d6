import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { threadCpuUs } from '../../bench/thread-cpu.ts';
import { projectWith, standardTool, SYSTEM_SPACE } from './fixtures/standard-tool.ts';
import type { ToolBench } from './fixtures/tool-bench.ts';
import { renderOutcome } from './render-outcome.ts';

const NAMES = ['read', 'ls', 'write', 'glob'] as const;

const tools = Object.fromEntries(
  await Promise.all(NAMES.map(async (name) => [name, await standardTool(`rye/file-system/${name}`)] as const)),
);

function call(bench: ToolBench, name: (typeof NAMES)[number], params: Record<string, unknown>) {
  return tools[name]?.call(bench, params);
}

describe('the standard file tools', () => {
  test('run as processes', async () => {
    using bench = projectWith({});
    const run = (name: (typeof NAMES)[number], params: Record<string, unknown>) => tools[name]?.run(bench, params);
    expect(await run('write', { path: 'a/b.txt', content: 'hi\n' })).toMatchObject({
      ok: true,
      value: { created: true },
    });
    expect(await run('read', { path: 'a/b.txt' })).toMatchObject({ ok: true, value: { content: 'hi' } });
    expect(await run('ls', { path: 'a' })).toMatchObject({
      ok: true,
      value: { entries: [{ name: 'b.txt', size: 3 }] },
    });
    expect(await run('glob', { pattern: '**/*.txt' })).toMatchObject({ ok: true, value: { files: ['a/b.txt'] } });
    expect(await run('read', { path: '/etc/passwd' })).toMatchObject({
      ok: false,
      failure: { code: 'tool_failed', message: expect.stringContaining('outside the project') },
    });
  });

  test('write for a user without a home', ({ skip }) => {
    const other = { cwd: '/', env: {}, uid: 54_321, encoding: 'utf8' } as const;
    skip(process.getuid?.() !== 0, 'only root can become somebody whom the system does not know');
    const { status } = spawnSync(process.execPath, ['--eval', '0'], { ...other, cwd: SYSTEM_SPACE });
    skip(status !== 0, 'somebody else can not read the package, or run Node');
    using bench = projectWith({});
    chmodSync(bench.projectPath, 0o777);
    const write = pathToFileURL(join(SYSTEM_SPACE, 'tools/rye/file-system/write.js')).href;
    const script = `import { execute } from ${JSON.stringify(write)};
      execute({ path: 'a.txt', content: 'hi' }, ${JSON.stringify(bench.projectPath)});`;
    const args = ['--input-type=module', '--eval', script];
    const { stderr } = spawnSync(process.execPath, args, other);
    expect(stderr).toBe('');
    expect(readFileSync(join(bench.projectPath, 'a.txt'), 'utf8')).toBe('hi');
  });

  const OUTSIDE = ['/etc/passwd', '../x', 'a/../../x', 'link/passwd', 'link', 'loop/../../../etc/passwd', '\0', 'a\0b'];

  test.each(['read', 'ls', 'write'] as const)('%s stays inside the project', (name) => {
    using bench = projectWith({ 'a/f': '1' });
    symlinkSync('/etc', join(bench.projectPath, 'link'));
    symlinkSync('.', join(bench.projectPath, 'loop'));
    symlinkSync('/tmp/skein-made-by-a-test', join(bench.projectPath, 'dangling'));
    for (const path of [...OUTSIDE, 'dangling', 'dangling/x']) {
      expect(() => call(bench, name, { path, content: 'x' })).toThrow(/outside the project|NUL|nowhere|exist/);
    }
    expect(existsSync('/tmp/skein-made-by-a-test')).toBe(false);
  });

  test('glob stays inside the project', () => {
    using bench = projectWith({ 'a/f': '1' });
    symlinkSync('/etc', join(bench.projectPath, 'link'));
    expect(call(bench, 'glob', { pattern: '**' })).toMatchObject({ files: ['a/f'] });
    expect(() => call(bench, 'glob', { pattern: '../*' })).toThrow('..');
    expect(() => call(bench, 'glob', { pattern: '*', path: 'link' })).toThrow('outside');
  });
});

describe('read', () => {
  test.each([
    [
      'whole',
      { path: 'f' },
      { content: 'one\ntwo\nthree', first_line: 1, last_line: 3, total_lines: 3, truncated: false },
    ],
    [
      'a range',
      { path: 'f', first_line: 2, max_lines: 1 },
      { content: 'two', first_line: 2, last_line: 2, truncated: true },
    ],
    ['past the end', { path: 'f', first_line: 9 }, { content: '', last_line: 8, total_lines: 3, truncated: false }],
    ['an empty file', { path: 'empty' }, { content: '', last_line: 0, total_lines: 0, truncated: false }],
    ['through a link inside', { path: 'inner' }, { path: 'f', total_lines: 3 }],
  ])('gives %s', (_name, params, result) => {
    using bench = projectWith({ f: 'one\ntwo\nthree\n', empty: '' });
    symlinkSync('f', join(bench.projectPath, 'inner'));
    expect(call(bench, 'read', params)).toMatchObject(result);
  });

  test.each([
    ['Latin-1', Buffer.from('né = 1\n', 'latin1'), { content: 'n\ufffd = 1', not_utf8: true }],
    ['UTF-8', Buffer.from('\ufeffné \ufffd = 1\n'), { content: '\ufeffné \ufffd = 1' }],
  ])('says whether bytes of a file are lost in its text: %s', (_name, bytes, said) => {
    using bench = projectWith({});
    writeFileSync(join(bench.projectPath, 'f'), bytes);
    const { content, not_utf8 } = call(bench, 'read', { path: 'f', max_lines: 1 }) as Record<string, unknown>;
    expect({ content, ...(not_utf8 !== undefined && { not_utf8 }) }).toEqual(said);
  });

  test.each([
    ['lines', 'x'.repeat(99)],
    ['quotes', '"'.repeat(99)],
    ['what JSON has no short form for', '\u0001'.repeat(99)],
    ['pairs', '😀'.repeat(50)],
    ['nothing', ''],
  ])('gives %s in pages that a model gets whole', (_name, line) => {
    const text = `${line}\n`.repeat(3_000);
    using bench = projectWith({ f: text });
    const got: string[] = [];
    for (let page = { last_line: 0, truncated: true, content: '' }; page.truncated;) {
      const value = call(bench, 'read', { path: 'f', first_line: page.last_line + 1, max_lines: 20_000 });
      page = JSON.parse(renderOutcome({ ok: true, value }));
      expect(page).not.toHaveProperty('line_cut');
      got.push(page.content);
    }
    expect(`${got.join('\n')}\n`).toBe(text);
  });

  test.each(['x', '"', '\u0001', '😀', 'x😀'])('gives the beginning of a line of %j that is too long', (part) => {
    const line = part.repeat(300_000);
    using bench = projectWith({ line: `${line}\nnext` });
    const value = call(bench, 'read', { path: 'line' });
    const { content, ...rest } = JSON.parse(renderOutcome({ ok: true, value }));
    expect(rest).toMatchObject({ last_line: 1, total_lines: 2, truncated: true, line_cut: true });
    expect(JSON.stringify(content).length).toBeGreaterThan(79_980);
    expect([line.startsWith(content), content.isWellFormed()]).toEqual([true, true]);
  });

  test.each([
    ['a folder', 'a', 'not a file'],
    ['bytes', 'binary', 'not a text file'],
    ['nothing', 'gone', 'does not exist'],
  ])('refuses %s', (_name, path, words) => {
    using bench = projectWith({ 'a/f': '', binary: 'a\0b' });
    expect(() => call(bench, 'read', { path })).toThrow(words);
  });
});

/** Repositories by other names: one of its own, and what belongs to another folder of one. */
const BARE = { 'bare/HEAD': '', 'bare/objects/x': '', 'bare/refs/x': '' };
const WORKTREE = { 'tree/HEAD': '', 'tree/commondir': '' };

describe('write', () => {
  test('replaces a file, keeps its mode and leaves no draft', () => {
    using bench = projectWith({ 'a/f': 'old' });
    const file = join(bench.projectPath, 'a/f');
    writeFileSync(file, 'old', { mode: 0o755 });
    const mode = statSync(file).mode;
    expect(call(bench, 'write', { path: 'a/f', content: 'né' })).toEqual({ path: 'a/f', bytes: 3, created: false });
    expect([readFileSync(file, 'utf8'), statSync(file).mode, readdirSync(dirname(file))]).toEqual(['né', mode, ['f']]);
  });

  test('writes through a link inside the project, which stays a link', () => {
    using bench = projectWith({ f: 'old' });
    symlinkSync('f', join(bench.projectPath, 'inner'));
    expect(call(bench, 'write', { path: 'inner', content: 'new' })).toMatchObject({ path: 'f' });
    expect(readFileSync(join(bench.projectPath, 'f'), 'utf8')).toBe('new');
  });

  test.each([
    ['a folder', 'a', 'not a file'],
    ['the project', '.', 'not a file'],
    ['below a file', 'a/f/x', ''],
    ['the store', '.ai/threads/threads.db', 'belongs to the runtime'],
    ['settings', '.ai/CONFIG/hooks.yaml', 'belongs to the runtime'],
    ['settings through a link', 'there/hooks.yaml', 'belongs to the runtime'],
    ['settings through a link to the whole space', 'space/config/hooks.yaml', 'belongs to the runtime'],
    ['a tool', '.ai/tools/x.js', 'belongs to the runtime'],
    ['a tool in other letters', '.AI/Tools/x.js', 'belongs to the runtime'],
    ['a directive', './a/../.ai/directives/x.md', 'belongs to the runtime'],
    ['knowledge', '.ai/knowledge/new/x.md', 'belongs to the runtime'],
    ['a file of the space itself', '.ai/x', 'belongs to the runtime'],
    ['the space', '.ai', 'belongs to the runtime'],
    ['settings of a package', 'packages/app/.ai/config/hooks.yaml', 'belongs to the runtime'],
    ['a tool of a package in other letters', 'packages/app/.Ai/tools/x.js', 'belongs to the runtime'],
    ['the space of a package', 'packages/app/.ai', 'belongs to the runtime'],
    ['settings of a package through a link', 'app/config/hooks.yaml', 'belongs to the runtime'],
    ['what git is set to', '.git/config', 'belongs to git'],
    ['the same in other letters', '.Git/config', 'belongs to git'],
    ['the same in a folder', 'a/.git/hooks/pre-commit', 'belongs to git'],
    ['where a repository is', 'a/.git', 'belongs to git'],
    ['what git is set to, through a link', 'hooks/pre-commit', 'belongs to git'],
    ['what git is set to, to which a link leads', 'bare/config', 'belongs to git'],
    ['what git is set to for another folder', 'tree/info/attributes', 'belongs to git'],
  ])('refuses %s', (_name, path, words) => {
    using bench = projectWith({
      'a/f': '',
      '.ai/config/x': '',
      'packages/app/.ai/x': '',
      '.git/hooks/x': '',
      ...BARE,
      ...WORKTREE,
    });
    symlinkSync('.ai/config', join(bench.projectPath, 'there'));
    symlinkSync('.git/hooks', join(bench.projectPath, 'hooks'));
    symlinkSync('.ai', join(bench.projectPath, 'space'));
    symlinkSync('packages/app/.ai', join(bench.projectPath, 'app'));
    expect(() => call(bench, 'write', { path, content: '' })).toThrow(words);
  });

  describe('makes no repository', () => {
    const HEAD = 'ref: refs/heads/main\n';
    const MADE = { HEAD, config: '[core]\n  fsmonitor = x\n', 'objects/x': '', 'refs/x': '' };
    const LINKED = { HEAD, commondir: '../other' };

    test.each([
      ['last what git knows one by', 'sub', ['config', 'objects/x', 'refs/x', 'HEAD']],
      ['first what git knows one by', 'sub', ['HEAD', 'objects/x', 'refs/x', 'config']],
      ['in a folder of a folder', 'sub/deep', ['refs/x', 'HEAD', 'config', 'objects/x']],
      ['as the project itself', '.', ['config', 'objects/x', 'refs/x', 'HEAD']],
    ])('%s', (_name, folder, paths) => {
      using bench = projectWith({});
      const write = (path: string) =>
        call(bench, 'write', { path: join(folder, path), content: MADE[path as keyof typeof MADE] });
      const refused = paths.filter((path) => {
        try {
          write(path);
          return false;
        } catch (error) {
          return String(error).includes('belongs to git');
        }
      });
      expect(refused).toEqual(['HEAD']);
      expect(existsSync(join(bench.projectPath, folder, 'HEAD'))).toBe(false);
    });

    test.each([
      ['refs/x', MADE],
      ['objects/x', MADE],
      ['commondir', LINKED],
    ])('where %s alone is missing', (last, files) => {
      const there = Object.entries(files).filter(([path]) => path !== last);
      using bench = projectWith(Object.fromEntries(there.map(([path, text]) => [`sub/${path}`, text])));
      expect(() => call(bench, 'write', { path: `sub/${last}`, content: '' })).toThrow('belongs to git');
    });
  });

  test.each(['.ai', '.AI'])('refuses %s in a project that has none yet', (folder) => {
    using bench = projectWith({});
    expect(() => call(bench, 'write', { path: `${folder}/tools/x.js`, content: '' })).toThrow('belongs to the runtime');
    expect(existsSync(join(bench.projectPath, folder))).toBe(false);
  });

  test.each(['.ai/tools/x.js', 'space/tools/x.js', 'SPACE/x', '.ai/config/x'])(
    'refuses %s where .ai is a link',
    (path) => {
      using bench = projectWith({ 'space/tools/x': '', 'elsewhere/x': '' });
      symlinkSync('space', join(bench.projectPath, '.ai'));
      symlinkSync('../elsewhere', join(bench.projectPath, 'space/config'));
      expect(() => call(bench, 'write', { path, content: '' })).toThrow('belongs to the runtime');
    },
  );

  describe('in a project that the user space lies in', () => {
    afterEach(() => void vi.unstubAllEnvs());

    test.each([
      ['HOME', 'home', 'home/.ai'],
      ['SKEIN_USER_SPACE', 'elsewhere', 'elsewhere'],
    ])('refuses to write there (%s)', (variable, folder, space) => {
      using bench = projectWith({ 'a/f': '' });
      vi.stubEnv(variable, join(bench.projectPath, folder));
      const path = `${space}/config/agent.yaml`;
      expect(() => call(bench, 'write', { path, content: '' })).toThrow('belongs to the runtime');
      expect(call(bench, 'write', { path: 'home/x', content: '' })).toMatchObject({ created: true });
    });

    test('refuses to read the private key, and may read the others', () => {
      using bench = projectWith({
        '.ai/keys/private.pem': 'key',
        'elsewhere/keys/private.pem': 'key',
        'b/private.pem': 'x',
      });
      symlinkSync('.ai/keys/private.pem', join(bench.projectPath, 'link'));
      vi.stubEnv('SKEIN_USER_SPACE', join(bench.projectPath, 'elsewhere'));
      for (const path of ['.ai/keys/private.pem', 'link', 'elsewhere/keys/private.pem']) {
        expect(() => call(bench, 'read', { path })).toThrow('private key');
      }
      expect(call(bench, 'read', { path: 'b/private.pem' })).toMatchObject({ content: 'x' });
    });
  });

  test.each([
    '.air/x',
    'a/x.ai/x',
    'x.ai',
    '.gitignore',
    '.github/x',
    'a.git/x',
    'objects/x',
    'a/HEAD.md',
    'a/Head/x.tsx',
    'HEAD/x',
  ])('may write %s', (path) => {
    using bench = projectWith({});
    expect(call(bench, 'write', { path, content: '' })).toMatchObject({ path, created: true });
  });
});

describe('write in a project that the runtime lies in', () => {
  /** Copies what ships into the project, and takes the tool from there. */
  async function shippedIn(bench: ToolBench, folder: string): Promise<(path: string) => unknown> {
    const tools = join(bench.projectPath, folder, 'config/space/tools/rye/file-system');
    cpSync(join(SYSTEM_SPACE, 'tools/rye/file-system'), tools, { recursive: true });
    const { execute }: WriteTool = await import(pathToFileURL(join(tools, 'write.js')).href);
    return (path) => execute({ path, content: '' }, bench.projectPath);
  }

  const RUNNER = 'dist/config/runtimes/node-runner.mjs';

  test.each([
    ['installed', 'node_modules/skein/dist', ['node_modules/skein/x', 'node_modules/re2js/x', 'Node_Modules/x']],
    ['linked', 'packages/skein/dist', [`packages/skein/${RUNNER}`, 'packages/skein/package.json']],
    ['linked, with packages above', 'packages/skein/dist', ['node_modules/re2js/x', 'packages/node_modules/re2js/x']],
    ['installed in a package', 'packages/a/node_modules/skein/dist', ['node_modules/re2js/x']],
    ['its source', 'dist', [RUNNER, 'dist/x', 'node_modules/re2js/x']],
  ])('refuses what that is loaded from (%s)', async (_name, folder, paths) => {
    using bench = projectWith({ 'package.json': '{"type":"module"}', 'link/x': '' });
    const write = await shippedIn(bench, folder);
    symlinkSync(join('..', folder), join(bench.projectPath, 'link/to'));
    for (const path of [...paths, `${folder}/config/runtimes/node-runner.mjs`, 'link/to/x']) {
      expect(() => write(path)).toThrow('belongs to the runtime');
    }
    expect(write('src/x')).toMatchObject({ created: true });
  });

  test('takes a copy of itself for what it is', async () => {
    using bench = projectWith({ 'package.json': '{"type":"module"}' });
    const tools = join(bench.projectPath, '.ai/tools/own');
    cpSync(join(SYSTEM_SPACE, 'tools/rye/file-system'), tools, { recursive: true });
    const { execute }: WriteTool = await import(pathToFileURL(join(tools, 'write.js')).href);
    expect(execute({ path: 'node_modules/x', content: '' }, bench.projectPath)).toMatchObject({ created: true });
  });
});

type WriteTool = { readonly execute: (params: Record<string, unknown>, projectPath: string) => unknown };

describe('A long answer', () => {
  test.each([
    ['ls', { path: 'a' }, 'entries'],
    ['glob', { pattern: '**' }, 'files'],
  ] as const)('of %s has what is long at its end', (name, params, last) => {
    using bench = projectWith({ 'a/f': '' });
    expect(Object.keys(call(bench, name, params) ?? {}).at(-1)).toBe(last);
  });
});

describe('ls', () => {
  test('lists names in order with their types', () => {
    using bench = projectWith({ 'a/b': 'xx', 'a/A/x': '' });
    symlinkSync('b', join(bench.projectPath, 'a/c'));
    expect(call(bench, 'ls', { path: 'a' })).toEqual({
      path: 'a',
      entries: [
        { name: 'A', type: 'directory' },
        { name: 'b', type: 'file', size: 2 },
        { name: 'c', type: 'link' },
      ],
      total: 3,
      truncated: false,
    });
    expect(call(bench, 'ls', {})).toMatchObject({ path: '.', total: 1 });
    expect(() => call(bench, 'ls', { path: 'a/b' })).toThrow('not a folder');
  });
});

/** Also what is only found if a pattern names it. */
const TREE = {
  'a.ts': '',
  'src/b.ts': '',
  'src/deep/er/c.ts': '',
  'node_modules/x/d.ts': '',
  'node_modules/x/node_modules/y/e.ts': '',
  'src/node_modules/y/f.ts': '',
  '.git/HEAD': '',
};

describe('glob', () => {
  test.each([
    ['*.ts', ['a.ts']],
    ['**/*.ts', ['a.ts', 'src/b.ts', 'src/deep/er/c.ts']],
    ['src/**', ['src/b.ts', 'src/deep/er/c.ts']],
    ['src/**/er/*', ['src/deep/er/c.ts']],
    ['**/**/er/**/c.ts', ['src/deep/er/c.ts']],
    ['src/?.ts', ['src/b.ts']],
    ['./src/*.ts', ['src/b.ts']],
    ['src/./**/././*.ts', ['src/b.ts', 'src/deep/er/c.ts']],
    ['**/./**/er/*', ['src/deep/er/c.ts']],
    ['.', []],
    ['src', []],
    ['(x|a)[.]ts', []],
    ['{a,x}.ts', ['a.ts']],
    ['**/{a,b,a}.{js,ts}', ['a.ts', 'src/b.ts']],
    ['src{,/deep/er}/*.ts', ['src/b.ts', 'src/deep/er/c.ts']],
    ['{src/{deep/**,b.*},a.ts}', ['a.ts', 'src/b.ts', 'src/deep/er/c.ts']],
    ['{a}.ts', ['{a}.ts']],
    ['{a,*.ts', ['{a,b.ts']],
    ['node_modules/x/*', ['node_modules/x/d.ts']],
    ['node_modules/x/**', ['node_modules/x/d.ts']],
    ['{src,node_modules/y}/**', ['src/b.ts', 'src/deep/er/c.ts']],
    ['**/node_modules/**', ['node_modules/x/d.ts', 'node_modules/x/node_modules/y/e.ts', 'src/node_modules/y/f.ts']],
    ['*/x/*', []],
    ['.git/*', ['.git/HEAD']],
  ])('%s finds %j', (pattern, files) => {
    using bench = projectWith({ ...(pattern.startsWith('{a') && { '{a}.ts': '', '{a,b.ts': '' }), ...TREE });
    expect(call(bench, 'glob', { pattern })).toMatchObject({ files, total: files.length, truncated: false });
  });

  test('refuses to look into what is no folder', () => {
    using bench = projectWith({ f: 'x' });
    expect(() => call(bench, 'glob', { pattern: '*', path: 'f' })).toThrow('f is not a folder');
    expect(() => call(bench, 'glob', { pattern: '*', path: 'gone' })).toThrow('gone does not exist');
  });

  test.each([
    ['must not begin with /', '/src/*'],
    ['must not begin with /', '{a,/src/*}'],
    ['must not contain ..', '{src,..}/*'],
    ['more than 100 choices', '{a,b}'.repeat(90)],
  ])('refuses a pattern: %s', (words, pattern) => {
    using bench = projectWith(TREE);
    expect(() => call(bench, 'glob', { pattern })).toThrow(words);
  });

  test('takes a hostile pattern calmly', () => {
    using bench = projectWith({ ['a'.repeat(200)]: '', 'a/a/a/a/a/a/a/a/a/a/b': '' });
    const started = threadCpuUs();
    expect(call(bench, 'glob', { pattern: `${'*a'.repeat(120)}b` })).toMatchObject({ total: 0 });
    expect(call(bench, 'glob', { pattern: '**/a/'.repeat(60) + 'z' })).toMatchObject({ total: 0 });
    expect(call(bench, 'glob', { pattern: '**/a/'.repeat(60) + '{y,z}'.repeat(6) })).toMatchObject({ total: 0 });
    expect(threadCpuUs() - started).toBeLessThan(2_000_000);
  });
});
