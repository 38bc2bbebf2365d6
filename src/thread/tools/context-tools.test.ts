import { expect, test } from 'vitest';
import { createTiersBench, type TiersBench } from '../../../test/fixtures/tiers-bench.ts';
import type { ToolOutcome } from '../../core/tool.ts';
import { CONTEXT_TOOLS } from './context-tools.ts';

/** The outcome of a call that waits for nothing. */
function call({ thread, services }: TiersBench, name: string, paths: readonly string[]): ToolOutcome | undefined {
  let outcome: ToolOutcome | undefined;
  const tool = CONTEXT_TOOLS.find(({ id }) => id.endsWith(`/${name}`));
  const order = { thread, services, input: { paths }, maxWaitMs: undefined, waits: () => undefined };
  tool?.run(order, (given) => (outcome = given));
  return outcome;
}

test('A file is selected and dropped by whatever its path is written like, and is one file', async () => {
  using bench = await createTiersBench({ files: { 'src/a.ts': 'a', 'b.md': 'b' } });
  const written = ['./src/a.ts', 'src//a.ts', 'src/../src/a.ts', `${bench.root}/src/a.ts`];
  expect(call(bench, 'select_files', [...written, 'b.md'])).toEqual({
    ok: true,
    value: { selected: ['src/a.ts', 'b.md'], refused: [] },
  });
  expect(bench.session.events).toEqual([
    { kind: 'selected', path: 'src/a.ts' },
    { kind: 'selected', path: 'b.md' },
  ]);
  expect(call(bench, 'drop_files', written)).toEqual({ ok: true, value: { dropped: ['src/a.ts'], unknown: [] } });
  expect(bench.session.files.selected()).toEqual(['b.md']);
});

test('What is refused, or not known, is called as the model has written it', async () => {
  using bench = await createTiersBench({ files: { 'src/a.ts': 'a' } });
  const message =
    'src is no text file of the project that can be read: it is no regular file, but a folder or the like';
  expect(call(bench, 'select_files', ['./src'])).toEqual({
    ok: true,
    value: { selected: [], refused: [{ path: './src', message }] },
  });
  const paths = ['./src', 'https://example.org//a'];
  expect(call(bench, 'drop_files', paths)).toEqual({ ok: true, value: { dropped: [], unknown: paths } });
});
