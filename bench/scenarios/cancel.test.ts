import { expect, test } from 'vitest';
import type { AskedSizes } from '../job.ts';
import { cancel } from './cancel.ts';

const DEFAULT: AskedSizes = { threads: [], turns: 3, llmMs: [], isLong: false };
const LIBRARIES = ['plain', 'effect', 'p-limit', 'openai-agents', 'langgraph'];
const scenario = cancel({ names: LIBRARIES, load: () => Promise.reject(new Error('nobody asked for it')) });

test.each<[string, Partial<AskedSizes>, readonly string[]]>([
  ['by default no busy threads', {}, ['10000 tree', '10000 roots']],
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
  const cases = scenario.cases({
    ...DEFAULT,
    ...asked,
  });
  expect(cases.map(({ threads, variant }) => `${threads} ${variant}`)).toEqual(expected);
});

test.each<[string, Partial<AskedSizes>, Record<string, string>]>([
  ['by default the lower bound runs one form', {}, { '10000 tree': 'skein', '10000 roots': 'skein plain' }],
  [
    'all run the forms that they have, as far as they are meant for so many threads',
    { isLong: true },
    {
      '10000 tree': 'skein plain effect openai-agents langgraph',
      '10000 roots': 'skein plain effect openai-agents langgraph',
      '10000 tree-busy': 'skein',
      '10000 roots-busy': 'skein',
      '100000 tree': 'skein',
      '100000 roots': 'skein',
    },
  ],
])('%s', (_, sizes, expected) => {
  const asked = { ...DEFAULT, ...sizes };
  const rows = scenario.cases(asked).map((params) => {
    const takers = scenario.contenders.filter(
      (name) => !scenario.lacks?.(name, params) && scenario.takesPart?.(name, params, asked),
    );
    return [`${params.threads} ${params.variant}`, takers.join(' ')];
  });
  expect(Object.fromEntries(rows)).toEqual(expected);
});
