import { afterEach, beforeEach, expect, test } from 'vitest';
import { createItemBench, type ItemBench } from './fixtures/item-bench.ts';

let bench: ItemBench;
beforeEach(() => {
  bench = createItemBench();
});
afterEach(() => bench[Symbol.dispose]());

test.each([
  ['run', false],
  ['described', true],
])('A module that tools share is not %s: it states no contract', async (_what, dry_run) => {
  bench.write('project/.ai/tools/demo/lib.js', "export const execute = () => 'ran';\n");
  expect(await bench.dispatch({ item_id: 'demo/lib', params: { any: 'thing' }, dry_run })).toMatchObject({
    status: 'error',
    code: 'invalid_item',
    error: expect.stringContaining('nothing that makes it a tool'),
  });
});

test('A tool whose executor states no contract is not run', async () => {
  bench.write('project/.ai/tools/demo/say.yaml', 'tool_type: x\nexecutor_id: demo/runs\n');
  bench.write('project/.ai/tools/demo/runs.yaml', 'description: Runs tools\n');
  expect(await bench.dispatch({ item_id: 'demo/say' })).toMatchObject({
    code: 'invalid_item',
    error: expect.stringContaining('demo/runs.yaml says nothing'),
  });
});
