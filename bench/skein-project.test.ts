import { expect, test } from 'vitest';
import { nurseryScript } from './skein-project.ts';

type Rules = {
  readonly rules: readonly { readonly tool_calls_each?: { readonly batch: { readonly size: number } } }[];
};

test.each([
  [0, []],
  [1, [1]],
  [10_000, [10_000]],
  [12_345, [6_173, 6_172]],
  [25_000, [8_334, 8_334, 8_332]],
])('a model that is to start %s children starts them in turns of %j', (threads, turns) => {
  const { rules } = nurseryScript(threads, { directive_name: 'park' }, 1_000) as Rules;
  expect(rules.flatMap(({ tool_calls_each: each }) => each?.batch.size ?? [])).toEqual(turns);
});
