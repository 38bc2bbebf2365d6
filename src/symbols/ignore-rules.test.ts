import { describe, expect, test } from 'vitest';
import { threadCpuUs } from '../../bench/thread-cpu.ts';
import { parseIgnoreRules } from './ignore-rules.ts';

const effort = (left = Infinity) => ({ left });

describe('The rules of a .gitignore', () => {
  test.each([
    ['*.log', 'a.log', 'ignored'],
    ['*.log', 'deep/down/a.log', 'ignored'],
    ['*.log', 'a.logs', undefined],
    ['/a.log', 'a.log', 'ignored'],
    ['/a.log', 'deep/a.log', undefined],
    ['deep/a.log', 'deep/a.log', 'ignored'],
    ['deep/a.log', 'more/deep/a.log', undefined],
    ['dist/', 'dist/', 'ignored'],
    ['dist/', 'src/dist/', 'ignored'],
    ['dist/', 'dist', undefined],
    ['**/dist', 'a/b/dist', 'ignored'],
    ['a/**', 'a/b/c', 'ignored'],
    ['a/**', 'a/', undefined],
    ['a/**/b', 'a/b', 'ignored'],
    ['a/**/b', 'a/x/y/b', 'ignored'],
    ['a/*', 'a/b/c', undefined],
    ['a?c', 'abc', 'ignored'],
    ['a?c', 'ac', undefined],
    ['[a-c].ts', 'b.ts', 'ignored'],
    ['[!a-c].ts', 'b.ts', undefined],
    ['[!a-c].ts', 'd.ts', 'ignored'],
    ['[]]', ']', 'ignored'],
    ['[', '[', 'ignored'],
    ['*.log\n!keep.log', 'keep.log', 'kept'],
    ['!keep.log\n*.log', 'keep.log', 'ignored'],
    ['# a comment', '# a comment', undefined],
    ['\\#a', '#a', 'ignored'],
    ['\\!a', '!a', 'ignored'],
    ['a  ', 'a', 'ignored'],
    ['a\\ ', 'a ', 'ignored'],
    ['a\\  ', 'a ', 'ignored'],
    ['a b  ', 'a b', 'ignored'],
    ['[]', '[]', undefined],
    ['[a', '[a', 'ignored'],
    ['[a]b[c', 'ab[c', 'ignored'],
    ['a.b', 'axb', undefined],
    ['*\r\n', 'a', 'ignored'],
    ['\n\n', 'a', undefined],
    ['/', 'a', undefined],
  ])('%j says of %s: %s', (text, path, said) => {
    expect(parseIgnoreRules(text)(path.replace(/\/$/, ''), path.endsWith('/'), effort())).toBe(said);
  });

  test.each([
    ['spaces', `a${' '.repeat(100_000)}b`],
    ['brackets', '['.repeat(100_000)],
    ['sets', '[a]['.repeat(100_000)],
    ['empty sets', '[]'.repeat(100_000)],
    ['lines', '*[a]b*\n'.repeat(100_000)],
    ['lines of spaces', `a${' '.repeat(900)}b\n`.repeat(1000)],
  ])('are read quickly, also %s', (_, text) => {
    const startedAt = threadCpuUs();
    parseIgnoreRules(text)('a', false, effort());
    expect(threadCpuUs() - startedAt).toBeLessThan(1_000_000);
  });

  test.each([
    ['names', `*${'a'.repeat(95)}b\n`, 'a'.repeat(250)],
    ['sets', `*${'[ab]'.repeat(95)}c\n`, 'a'.repeat(250)],
    ['large sets', `*[${'cd'.repeat(400)}]\n`, 'a'.repeat(250)],
    ['folders', `${'**/aa/'.repeat(20)}x\n`, 'aa/'.repeat(40)],
  ])('are compared no longer than they may be: %s', (_, line, path) => {
    const says = parseIgnoreRules(`${path.slice(0, -1)}*\n${line.repeat(2_000)}`);
    const left = effort(100_000);
    const startedAt = threadCpuUs();
    expect(says(path, false, left)).toBeUndefined();
    expect(threadCpuUs() - startedAt).toBeLessThan(200_000);
    expect(left.left).toBeLessThan(0);
  });

  test('are quick, whatever they are', () => {
    const says = parseIgnoreRules(`${'*a'.repeat(500)}\n${'**/a*/'.repeat(500)}x`);
    const startedAt = threadCpuUs();
    expect(says(`${'a'.repeat(2000)}b`, false, effort())).toBeUndefined();
    expect(says(`${'aa/'.repeat(500)}b`, false, effort())).toBeUndefined();
    expect(threadCpuUs() - startedAt).toBeLessThan(2_000_000);
  });
});
