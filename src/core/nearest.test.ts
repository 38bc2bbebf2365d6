import { expect, test } from 'vitest';
import { nearest } from './nearest.ts';

const WORDS = ['run', 'resume', 'transcript', 'tree', 'threads', '--model', '--json'];

test.each([
  ['rnu', 'run'],
  ['transcrpt', 'transcript'],
  ['trans', 'transcript'],
  ['tee', 'tree'],
  ['--modle', '--model'],
  ['--jsn', '--json'],
  ['r', undefined],
  ['quit', undefined],
  ['', undefined],
  ['x'.repeat(100_000), undefined],
])('what may be meant by %s is %s', (given, meant) => {
  expect(nearest(given, WORDS)).toBe(meant);
});
