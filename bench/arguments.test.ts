import { expect, test } from 'vitest';
import { benchCommand } from '../src/cli/bench-command.ts';
import { readBenchArguments } from './arguments.ts';
import { scenariosWith } from './scenarios/shipped.ts';

const nobody = (): Promise<never> => Promise.reject(new Error('nobody asked for it'));
const LIBRARIES = { names: ['plain'], load: nobody };
const SCENARIOS = scenariosWith({ names: ['skein'], create: nobody }, LIBRARIES);

test('sizes may be given several times', () => {
  const words = ['fanout', '--threads', '2000', '--threads', '10000', '--llm', '0', '--llm', '100'];
  expect(readBenchArguments(words, SCENARIOS)).toMatchObject({
    scenarios: ['fanout'],
    sizes: { threads: [2_000, 10_000], turns: 3, llmMs: [0, 100], isLong: false },
    runs: 3,
    json: false,
  });
});

test('a size is for those of the scenarios that take it', () => {
  const words = ['tree', 'spawn', '--threads', '5', '--llm', '1'];
  expect(readBenchArguments(words, SCENARIOS).sizes).toMatchObject({ threads: [5], llmMs: [1] });
});

test('of contenders that are asked for each scenario has those that take part in it', () => {
  const words = ['fanout', 'tree', '--contender', 'skein', '--contender', 'plain-encode'];
  const source = { names: ['skein', 'plain-encode'], create: nobody };
  expect(readBenchArguments(words, scenariosWith(source, LIBRARIES)).contenders).toEqual(['skein', 'plain-encode']);
});

test.each([
  [['--threads', 'many'], /--threads is "many"/],
  [['--threads', '0'], /from 1/],
  [['--llm', '-1'], /llm/],
  [['--runs', '1.5'], /--runs/],
  [['--runs', ''], /--runs is ""/],
  [['--threads', '1e3'], /--threads is "1e3"/],
  [['spawn', 'tree', '--contender', 'child-process'], /child-process takes no part in spawn, tree/],
  [['spawn', '--llm', '5'], /--llm is not for spawn; it is for fanout, tree, pipeline/],
  [['tree', '--threads', '5'], /--threads is not for tree; it is for fanout, scale/],
  [['tree', 'scale', '--turns', '5'], /--turns is not for scale, tree; it is for fanout, pipeline/],
  [['--unknown'], /unknown/],
  [['fan-out'], /no scenario "fan-out"; there are: .*fanout/],
  [['--contender', 'nobody'], /no contender "nobody"; there are: skein/],
])('%j is refused with its name', (argv, message) => {
  expect(() => readBenchArguments(argv, SCENARIOS)).toThrow(message);
});

test('the help of skein bench names every scenario that ships, in the order they run', () => {
  const named = /Scenarios: ([^.]*)\./.exec(benchCommand.notes ?? '')?.[1]?.split(', ');
  expect(named).toEqual(SCENARIOS.map(({ name }) => name));
});
