import { existsSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { threadCpuUs } from '../../bench/thread-cpu.ts';
import { projectWith, standardTool } from './fixtures/standard-tool.ts';
import type { ToolBench } from './fixtures/tool-bench.ts';

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

  test('cuts a text that is too long', () => {
    using bench = projectWith({ lines: `${'x'.repeat(99)}\n`.repeat(3000), line: 'x'.repeat(300_000) });
    expect(call(bench, 'read', { path: 'lines', max_lines: 20_000 })).toMatchObject({
      last_line: 2000,
      truncated: true,
    });
    expect(call(bench, 'read', { path: 'line' })).toMatchObject({ content: 'x'.repeat(200_000), truncated: true });
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
  ])('refuses %s', (_name, path, words) => {
    using bench = projectWith({ 'a/f': '', '.ai/config/x': '' });
    symlinkSync('.ai/config', join(bench.projectPath, 'there'));
    symlinkSync('.ai', join(bench.projectPath, 'space'));
    expect(() => call(bench, 'write', { path, content: '' })).toThrow(words);
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

  test.each(['.air/x', 'a/.ai/x', 'x.ai'])('may write %s', (path) => {
    using bench = projectWith({});
    expect(call(bench, 'write', { path, content: '' })).toMatchObject({ path, created: true });
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

describe('glob', () => {
  test.each([
    ['*.ts', ['a.ts']],
    ['**/*.ts', ['a.ts', 'src/b.ts', 'src/deep/er/c.ts']],
    ['src/**', ['src/b.ts', 'src/deep/er/c.ts']],
    ['src/**/er/*', ['src/deep/er/c.ts']],
    ['**/**/er/**/c.ts', ['src/deep/er/c.ts']],
    ['src/?.ts', ['src/b.ts']],
    ['src', []],
    ['(x|a)[.]ts', []],
  ])('%s finds %j', (pattern, files) => {
    using bench = projectWith({ 'a.ts': '', 'src/b.ts': '', 'src/deep/er/c.ts': '', 'node_modules/x/d.ts': '' });
    expect(call(bench, 'glob', { pattern })).toMatchObject({ files, total: files.length, truncated: false });
  });

  test('takes a hostile pattern calmly', () => {
    using bench = projectWith({ ['a'.repeat(200)]: '', 'a/a/a/a/a/a/a/a/a/a/b': '' });
    const started = threadCpuUs();
    expect(call(bench, 'glob', { pattern: `${'*a'.repeat(120)}b` })).toMatchObject({ total: 0 });
    expect(call(bench, 'glob', { pattern: '**/a/'.repeat(60) + 'z' })).toMatchObject({ total: 0 });
    expect(threadCpuUs() - started).toBeLessThan(2_000_000);
  });
});
