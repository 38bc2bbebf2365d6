import { expect, test } from 'vitest';
import { readArguments } from './arguments.ts';

test('sizes may be given several times', () => {
  const read = readArguments(['fanout', '--threads', '2000', '--threads', '10000', '--llm', '0', '--llm', '100']);
  expect(read).toMatchObject({
    scenarios: ['fanout'],
    sizes: { threads: [2_000, 10_000], turns: 3, llmMs: [0, 100] },
    runs: 3,
    json: false,
  });
});

test.each([
  [['--threads', 'many'], /--threads is "many"/],
  [['--threads', '0'], /from 1/],
  [['--llm', '-1'], /llm/],
  [['--runs', '1.5'], /--runs/],
  [['--unknown'], /unknown/],
])('%j is refused with its name', (argv, message) => {
  expect(() => readArguments(argv)).toThrow(message);
});
