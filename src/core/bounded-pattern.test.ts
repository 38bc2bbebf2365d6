import { expect, test } from 'vitest';
import { threadCpuUs } from '../../bench/thread-cpu.ts';
import { compilePattern } from './bounded-pattern.ts';
import { messageOf } from './errors.ts';

const BIG = 'ab'.repeat(1_000);

test.each([
  ['a UUID', '^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$'],
  ['a domain', '^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.){1,10}$'],
  ['an address', '^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.|$)){4}$'],
  ['a name', '^[\\w-]{1,1000}$'],
  ['much of the syntax', '(?i)[[:alpha:]]{3}|\\x{1F600}{30}|\\Q{1000}\\E'],
  ['a name in letters of any case', "(?i)^[\\p{L}à-ÿ .'-]{1,63}$"],
  ['a long word', 'x'.repeat(4_096)],
])('what stands for %s is compiled', (_name, source) => {
  expect(compilePattern(source).programSize()).toBeLessThan(5_000);
});

test.each([
  ['optional parts', 'x{0,1000}'.repeat(450)],
  ['classes', '[]{1)]{1000}[^]a]{1000}[[:alpha:](]{1000}'.repeat(90)],
  ['escapes', '\\p{L}{1000}\\x{41}{1000}\\({1000}'.repeat(120)],
  ['groups in groups', `(?:(?:(?:${BIG}){10}){10}){10}`],
  ['captures', '(((((x))))){1000}'.repeat(200)],
  ['what stands before flags', `(?:${BIG})(?i){1000}`],
  ['what stands before a quoted nothing', `(?:${BIG})\\Q\\E{1000}`],
  ['letters of any case', `(?i)${'[B-\u{1e942}]'.repeat(600)}`],
  ['what stands behind quoted brackets', `\\Q[(\\E${'x{1000}'.repeat(500)}`],
])('one that repeats %s is refused at once', (_name, source) => {
  const startedAt = threadCpuUs();
  expect(() => compilePattern(source)).toThrow('repeats too much');
  expect(threadCpuUs() - startedAt).toBeLessThan(300_000);
});

test.each([
  ['one that is long', 'x'.repeat(4_097), 'longer than 4096'],
  ['one that takes many steps', '\\p{L}{1000}'.repeat(6), 'more than 5000 steps'],
  ['look-ahead', '(?=a)', 'RE2 syntax is used'],
  ['a group that is open', '(', 'missing closing )'],
  ['a group that was never open', ')', 'unexpected )'],
])('%s is refused', (_name, source, words) => {
  expect(() => compilePattern(source)).toThrow(expect.toSatisfy((thrown) => messageOf(thrown).includes(words)));
});
