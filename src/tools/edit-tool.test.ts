import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { projectWith, standardTool, SYSTEM_SPACE } from './fixtures/standard-tool.ts';
import type { ToolBench } from './fixtures/tool-bench.ts';

const edit = await standardTool('rye/file-system/edit');

type ReplaceFile = (file: string, path: string, makeContent: () => string) => boolean;
const TEXT_FILE = pathToFileURL(join(SYSTEM_SPACE, 'tools/rye/file-system/text-file.js')).href;
const { replaceFile }: { readonly replaceFile: ReplaceFile } = await import(TEXT_FILE);

function draftOf(bench: ToolBench, name: string): string {
  return join(bench.projectPath, `.${createHash('sha256').update(name).digest('hex').slice(0, 16)}.draft`);
}

function read(bench: ToolBench, path: string): string {
  return readFileSync(join(bench.projectPath, path), 'utf8');
}

describe('edit', () => {
  test.each([
    ['a word', 'one two three', { old_string: 'two', new_string: '2' }, 'one 2 three', { replacements: 1 }],
    ['to nothing', 'a\nb\nc\n', { old_string: 'b\n', new_string: '' }, 'a\nc\n', { first_line: 2 }],
    ['over lines', 'a\nb\nc\n', { old_string: 'b\nc', new_string: 'x' }, 'a\nx\n', { first_line: 2 }],
    ['every place', 'x.x.x', { old_string: 'x', new_string: 'xx', replace_all: true }, 'xx.xx.xx', { replacements: 3 }],
    ['text that looks like a pattern', 'f(.*)', { old_string: '(.*)', new_string: '$&$1' }, 'f$&$1', {}],
    ['and keeps a byte order mark', '\uFEFFa\r\n', { old_string: 'a\r\n', new_string: 'b\r\n' }, '\uFEFFb\r\n', {}],
    ['beyond the basic plane', 'a👍b', { old_string: '👍', new_string: '👎' }, 'a👎b', {}],
  ])('replaces %s', (_name, before, params, after, result) => {
    using bench = projectWith({ 'src/f': before });
    expect(edit.call(bench, { path: 'src/f', ...params })).toMatchObject({ path: 'src/f', ...result });
    expect(read(bench, 'src/f')).toBe(after);
    expect(readdirSync(join(bench.projectPath, 'src'))).toEqual(['f']);
  });

  test('keeps the mode of the file, and a link a link', () => {
    using bench = projectWith({ f: 'old' });
    chmodSync(join(bench.projectPath, 'f'), 0o775);
    symlinkSync('f', join(bench.projectPath, 'inner'));
    expect(edit.call(bench, { path: 'inner', old_string: 'old', new_string: 'new' })).toMatchObject({ path: 'f' });
    expect([read(bench, 'f'), statSync(join(bench.projectPath, 'f')).mode & 0o777]).toEqual(['new', 0o775]);
  });

  test('leaves a file that is read-only as it is, and another one to its owner', () => {
    using bench = projectWith({ f: 'old', g: 'old' });
    const [f, g] = [join(bench.projectPath, 'f'), join(bench.projectPath, 'g')];
    chmodSync(f, 0o444);
    // Only root can give one away.
    const owner = process.getuid?.() === 0 ? 1000 : statSync(g).uid;
    chownSync(g, owner, statSync(g).gid);
    expect(() => edit.call(bench, { path: 'f', old_string: 'old', new_string: 'new' })).toThrow('f is read-only');
    edit.call(bench, { path: 'g', old_string: 'old', new_string: 'new' });
    expect([read(bench, 'f'), read(bench, 'g'), statSync(g).uid]).toEqual(['old', 'new', owner]);
  });

  test('leaves a file of somebody else to its group', () => {
    using bench = projectWith({ f: 'old' });
    const f = join(bench.projectPath, 'f');
    const isRoot = process.getuid?.() === 0;
    const [member, group] = isRoot ? [1000, 2000] : [statSync(f).uid, statSync(f).gid];
    chmodSync(f, 0o664);
    chownSync(f, statSync(f).uid, group);
    chownSync(bench.projectPath, member, statSync(bench.projectPath).gid);
    // Only root can become somebody else, and only in a process of its own.
    const become = isRoot
      ? `process.setgroups([${group}]); process.setegid(${member}); process.seteuid(${member});`
      : '';
    const script = `const { replaceFile } = await import(${JSON.stringify(TEXT_FILE)}); ${become}
      replaceFile(${JSON.stringify(f)}, 'f', () => 'new');`;
    execFileSync(process.execPath, ['--input-type=module', '--eval', script]);
    expect([read(bench, 'f'), statSync(f).uid, statSync(f).gid]).toEqual(['new', member, group]);
  });

  const PLAIN = { path: 'f', old_string: 'a', new_string: 'b' };
  test.each([
    ['what is not there', { old_string: 'z' }, 'does not occur in f'],
    ['what is there twice', { old_string: 'aa' }, 'more than once'],
    ['what overlaps itself', { path: 'overlap', old_string: 'aa' }, 'more than once'],
    ['no change', { new_string: 'a' }, 'the same'],
    ['a missing file', { path: 'gone' }, 'does not exist'],
    ['a missing folder', { path: 'gone/f' }, 'does not exist'],
    ['a folder', { path: 'folder' }, 'not a file'],
    ['the project', { path: '.' }, 'not a file'],
    ['bytes', { path: 'binary' }, 'not a text file'],
    ['another encoding', { path: 'latin' }, 'not UTF-8'],
    ['a huge file', { path: 'huge' }, 'at most'],
    ['half a character', { path: 'once', new_string: '\uD83D' }, 'surrogate'],
    ['a NUL in the path', { path: 'f\0' }, 'NUL'],
    ['the way out', { path: '../f' }, 'outside the project'],
    ['an absolute path', { path: '/etc/passwd' }, 'outside the project'],
    ['a link out', { path: 'etc/passwd' }, 'outside the project'],
    ['a link to nothing', { path: 'dangling' }, 'leads nowhere'],
    ['what belongs to the runtime', { path: '.ai/config/agent.yaml' }, 'belongs to the runtime'],
    ['it in other letters', { path: '.AI/config/agent.yaml' }, 'belongs to the runtime'],
    ['it through a link', { path: 'settings/agent.yaml' }, 'belongs to the runtime'],
  ])('refuses %s', (_name, params, words) => {
    const files = { f: 'aa-aa', once: 'a', overlap: 'aaa', 'folder/x': '', '.ai/config/agent.yaml': 'a' };
    using bench = projectWith({ ...files, binary: 'a\0', latin: Buffer.from([0x61, 0xe9]), huge: 'a'.repeat(11e6) });
    for (const [to, name] of Object.entries({ '/etc': 'etc', 'not-there': 'dangling', '.ai/config': 'settings' })) {
      symlinkSync(to, join(bench.projectPath, name));
    }
    const names = readdirSync(bench.projectPath);
    expect(() => edit.call(bench, { ...PLAIN, ...params })).toThrow(words);
    for (const [path, content] of Object.entries(files)) expect(read(bench, path)).toBe(content);
    expect(readdirSync(bench.projectPath)).toEqual(names);
  });

  test('tells that the lines of a file end differently', () => {
    using bench = projectWith({ f: 'a\r\nb\r\n' });
    expect(() => edit.call(bench, { path: 'f', old_string: 'a\nb', new_string: '' })).toThrow(String.raw`end in \r\n`);
  });

  test('refuses to blow a file up', () => {
    using bench = projectWith({ f: 'a'.repeat(100_000) });
    const params = { path: 'f', old_string: 'a', new_string: 'x'.repeat(10_000), replace_all: true };
    expect(() => edit.call(bench, params)).toThrow('would have 1000000000 bytes');
  });

  test('loses none of several edits of one file at the same time', async () => {
    const lines = Array.from({ length: 12 }, (_, index) => `line ${index};`);
    // Long enough that each takes a while.
    using bench = projectWith({ f: `${lines.join('\n')}\n${' '.repeat(3e6)}` });
    const outcomes = await Promise.all(
      lines.map((line, index) => edit.run(bench, { path: 'f', old_string: line, new_string: `done ${index};` })),
    );
    expect(outcomes.filter(({ ok }) => !ok)).toEqual([]);
    expect(read(bench, 'f').trimEnd()).toBe(lines.map((_, index) => `done ${index};`).join('\n'));
  });

  test('goes on where a killed edit has left its draft', () => {
    using bench = projectWith({ f: 'old' });
    const draft = draftOf(bench, 'f');
    writeFileSync(draft, 'half');
    utimesSync(draft, new Date(0), new Date(0));
    edit.call(bench, { path: 'f', old_string: 'old', new_string: 'new' });
    expect([read(bench, 'f'), existsSync(draft)]).toEqual(['new', false]);
  });

  test('gives way where it was taken for dead, and leaves what the other one writes alone', async () => {
    using bench = projectWith({ f: 'old' });
    const file = join(bench.projectPath, 'f');
    const draft = draftOf(bench, 'f');
    const stall = (): string => {
      rmSync(draft);
      writeFileSync(draft, 'half of another');
      return 'new';
    };
    expect(() => replaceFile(file, 'f', stall)).toThrow('is being written by another call');
    expect([read(bench, 'f'), readFileSync(draft, 'utf8')]).toEqual(['old', 'half of another']);
  });

  test('answers as a process', async () => {
    using bench = projectWith({ f: 'old' });
    expect(await edit.run(bench, { path: 'f', old_string: 'old', new_string: 'new' })).toEqual({
      ok: true,
      value: { path: 'f', replacements: 1, first_line: 1 },
    });
    expect(await edit.run(bench, { path: '.ai/x', old_string: 'old', new_string: 'new' })).toMatchObject({
      ok: false,
      failure: { code: 'tool_failed', message: expect.stringContaining('belongs to the runtime') },
    });
    expect(await edit.run(bench, { path: 'f', old_string: '', new_string: 'new' })).toMatchObject({
      ok: false,
      failure: { code: 'tool_input_invalid' },
    });
  });
});
