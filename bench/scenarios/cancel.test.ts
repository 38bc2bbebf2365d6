import { expect, test } from 'vitest';
import type { AskedSizes } from '../job.ts';
import { cancel } from './cancel.ts';

const DEFAULT: AskedSizes = { threads: [], turns: 3, llmMs: [], isLong: false };

test.each<[string, Partial<AskedSizes>, readonly string[]]>([
  ['by default one form of busy threads', {}, ['10000 tree', '10000 roots', '10000 tree-busy']],
  [
    'all forms of a size that is asked for',
    { threads: [50] },
    ['50 tree', '50 roots', '50 tree-busy', '50 roots-busy'],
  ],
  [
    'all forms where it may take long, but no busy ones that are too many',
    { isLong: true },
    ['10000 tree', '10000 roots', '10000 tree-busy', '10000 roots-busy', '100000 tree', '100000 roots'],
  ],
])('%s', (_, asked, expected) => {
  const cases = cancel.cases({ ...DEFAULT, ...asked });
  expect(cases.map(({ threads, variant }) => `${threads} ${variant}`)).toEqual(expected);
});
