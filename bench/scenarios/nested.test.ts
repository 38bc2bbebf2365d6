import { expect, test } from 'vitest';
import type { AskedSizes, Scenario } from '../job.ts';
import { pipeline } from './pipeline.ts';
import { tree } from './tree.ts';

const DEFAULT: AskedSizes = { threads: [], turns: 3, llmMs: [], isLong: false };
const LIBRARIES = {
  names: ['plain', 'p-limit', 'effect', 'openai-agents', 'mastra'],
  load: () => Promise.reject(new Error('nobody asked for it')),
};

test.each<[string, Scenario, Partial<AskedSizes>, readonly string[]]>([
  ['a tree', tree(LIBRARIES), {}, ['skein', 'plain']],
  ['a tree that may take long', tree(LIBRARIES), { isLong: true }, ['skein', ...LIBRARIES.names]],
  ['a pipeline', pipeline(LIBRARIES), {}, ['skein', 'plain']],
  ['a pipeline that may take long', pipeline(LIBRARIES), { isLong: true }, ['skein', ...LIBRARIES.names]],
  ['pipelines that are asked for', pipeline(LIBRARIES), { threads: [2_500] }, ['skein', ...LIBRARIES.names]],
  ['more pipelines than libraries are meant for', pipeline(LIBRARIES), { threads: [2_501] }, ['skein']],
])('who runs %s', (_what, scenario, sizes, expected) => {
  const asked = { ...DEFAULT, ...sizes };
  for (const params of scenario.cases(asked)) {
    expect(scenario.contenders.filter((name) => scenario.takesPart?.(name, params, asked))).toEqual(expected);
  }
});
