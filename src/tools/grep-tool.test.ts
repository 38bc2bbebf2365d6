import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { projectWith, standardTool } from './fixtures/standard-tool.ts';

const grep = await standardTool('rye/file-system/grep');

const FILES = {
  'a.ts': 'const one = 1;\nconst two = 2;\n',
  'src/b.ts': 'import one from "one";\n// One\r\nlast one',
  'src/c.md': '# One\n',
  'node_modules/x/d.ts': 'one',
  '.git/config': 'one',
};

/** `path` and its shown text, for every file with a match. */
function shown(result: unknown): unknown {
  const { files } = result as { files: readonly { path: string; text: string }[] };
  return Object.fromEntries(files.map(({ path, text }) => [path, text]));
}

describe('grep', () => {
  test.each([
    [{ pattern: 'one' }, { 'a.ts': '1: const one = 1;', 'src/b.ts': '1: import one from "one";\n3: last one' }],
    [{ pattern: 'one$' }, { 'src/b.ts': '3: last one' }],
    [{ pattern: '^// One$' }, { 'src/b.ts': '2: // One' }],
    [{ pattern: 'ONE', ignore_case: true, path: 'src/c.md' }, { 'src/c.md': '1: # One' }],
    [{ pattern: 'o(n|N)e', glob: '*.md' }, {}],
    [{ pattern: '[Oo]ne', glob: '*.md' }, { 'src/c.md': '1: # One' }],
    [{ pattern: '[Oo]ne', glob: 'src/*.md' }, { 'src/c.md': '1: # One' }],
    [{ pattern: '[Oo]ne', path: 'src', glob: '*.md' }, { 'src/c.md': '1: # One' }],
    [{ pattern: 'e = 1', literal: true }, { 'a.ts': '1: const one = 1;' }],
    [{ pattern: '(.*', literal: true }, {}],
    [{ pattern: 'nothing' }, {}],
    [
      { pattern: '^[c#]', glob: '*.{md,ts}' },
      { 'a.ts': '1: const one = 1;\n2: const two = 2;', 'src/c.md': '1: # One' },
    ],
    [{ pattern: 'one', glob: 'node_modules/x/*' }, { 'node_modules/x/d.ts': '1: one' }],
  ])('%j finds %j', (params, found) => {
    using bench = projectWith(FILES);
    expect(shown(grep.call(bench, params))).toEqual(found);
  });

  test('passes over the private key for signing', () => {
    using bench = projectWith({ '.ai/keys/private.pem': 'one', '.ai/keys/trusted/a.pem': 'one' });
    const result = grep.call(bench, { pattern: 'one' });
    expect([shown(result), result]).toMatchObject([{ '.ai/keys/trusted/a.pem': '1: one' }, { skipped_files: 1 }]);
  });

  test('counts what it did', () => {
    using bench = projectWith({ ...FILES, binary: 'one\0', huge: `one${'\n'.repeat(11e6)}` });
    const result = grep.call(bench, { pattern: 'one' });
    expect(Object.keys(result ?? {}).at(-1)).toBe('files');
    expect(result).toMatchObject({
      matches: 3,
      searched_files: 3,
      skipped_files: 2,
      long_lines: 0,
      truncated: false,
      stopped_by: null,
    });
  });

  test('shows lines around a match once, and where lines are left out', () => {
    using bench = projectWith({ f: 'a\nb1\nc\nb2\ne\nf\ng\nh\nb3\n' });
    const text = '1- a\n2: b1\n3- c\n4: b2\n5- e\n--\n8- h\n9: b3';
    expect(shown(grep.call(bench, { pattern: 'b', context: 1 }))).toEqual({ f: text });
  });

  test('shows the part of a long line in which the match is', () => {
    using bench = projectWith({ f: `${'x'.repeat(5000)}needle${'y'.repeat(5000)}` });
    const text = `1: …${'x'.repeat(50)}needle${'y'.repeat(244)}…`;
    expect(shown(grep.call(bench, { pattern: 'needle' }))).toEqual({ f: text });
  });

  test.each([
    ['max_matches', { max_matches: 2 }, { matches: 2 }],
    ['text', { max_matches: 1000 }, { matches: 300 }],
  ])('stops at %s', (reason, params, result) => {
    using bench = projectWith({ f: `${'x'.repeat(299)}\n`.repeat(300), g: 'x' });
    expect(grep.call(bench, { pattern: 'x', ...params })).toMatchObject({
      ...result,
      searched_files: 1,
      truncated: true,
      stopped_by: reason,
    });
  });

  test('stops at its time also where no file is text', () => {
    using bench = projectWith(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`f${at}`, 'x\0'])));
    let seconds = 0;
    using _clock = vi.spyOn(performance, 'now').mockImplementation(() => 1000 * (seconds += 5));
    expect(grep.call(bench, { pattern: 'x' })).toMatchObject({ skipped_files: 5, truncated: true, stopped_by: 'time' });
  });

  test('searches only the beginning of a line without end, and says so', () => {
    using bench = projectWith({ f: `${'x'.repeat(200_000)}needle` });
    expect(grep.call(bench, { pattern: 'needle' })).toMatchObject({ matches: 0, long_lines: 1 });
  });

  test.each([
    ['a look-ahead', { pattern: 'a(?=b)' }, 'no look-around'],
    ['a backreference', { pattern: String.raw`(a)\1` }, 'no backreferences'],
    ['half a pattern', { pattern: '(a' }, 'not accepted'],
    ['a repetition that explodes', { pattern: '((a{100}){100}){100}' }, 'not accepted'],
    ['a glob that leads out', { pattern: 'a', glob: '../*' }, '..'],
    ['a glob from the root', { pattern: 'a', glob: '/src/*' }, 'begin with /'],
    ['a folder outside', { pattern: 'root', path: '/etc' }, 'outside the project'],
    ['a link out', { pattern: 'root', path: 'etc/passwd' }, 'outside the project'],
    ['a NUL', { pattern: 'a', path: 'a\0' }, 'NUL'],
    ['what is not there', { pattern: 'a', path: 'gone' }, 'does not exist'],
    ['a binary file that is named', { pattern: 'a', path: 'binary' }, 'not a text file'],
  ])('refuses %s', (_name, params, words) => {
    using bench = projectWith({ binary: 'a\0' });
    symlinkSync('/etc', join(bench.projectPath, 'etc'));
    expect(() => grep.call(bench, params)).toThrow(words);
  });

  test('follows no link in a folder', () => {
    using bench = projectWith({ 'src/f': 'root' });
    symlinkSync('/etc', join(bench.projectPath, 'src/etc'));
    symlinkSync('/etc/passwd', join(bench.projectPath, 'src/passwd'));
    expect(shown(grep.call(bench, { pattern: 'root' }))).toEqual({ 'src/f': '1: root' });
  });

  test.each(['(a+)+$', '(a|a)*b', '(.*a){12}b', '(a?){50}a{50}b', '(?:a{0,500}){1,2}b'])(
    'takes %s in linear time',
    async (pattern) => {
      using bench = projectWith({ f: `${'a'.repeat(90_000)}!\n`.repeat(3) });
      const started = performance.now();
      const outcome = await grep.run(bench, { pattern, path: 'f' });
      expect(outcome).toMatchObject({ ok: true, value: { searched_files: 1, stopped_by: null } });
      expect(performance.now() - started).toBeLessThan(10_000);
    },
  );
});
