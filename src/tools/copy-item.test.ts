import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { thrownBy } from '../../test/fixtures/thrown-by.ts';
import { createItemBench, type ItemBench } from './fixtures/item-bench.ts';
import { copyItems, planCopy, type PlannedCopy } from './copy-item.ts';
import { createItemOpener } from './open-item.ts';

let bench: ItemBench;
let root: string;
beforeEach(() => {
  bench = createItemBench();
  bench.write('project/.ai/knowledge/rules.md', '---\nname: rules\ntitle: Rules\nversion: "1"\n---\nBe kind.\n');
  root = mkdtempSync(join(tmpdir(), 'skein-copy-'));
});
afterEach(() => {
  bench[Symbol.dispose]();
  rmSync(root, { recursive: true });
});

/** A copy of the rules into a user space at a path, where there is nothing yet. */
function plan(space: string, overwrite = false, extensions = ['.md']): PlannedCopy {
  const { spaces, router, verify } = bench.services;
  const policy = { project: 'warn', user: 'warn', system: 'off' } as const;
  const item = createItemOpener({ spaces, router, verify, policy })('knowledge', 'rules', undefined);
  const places = {
    place: () => ({ root: space, folder: 'knowledge' }),
    extensionIn: () => undefined,
    textIn: () => '',
    extensions: () => extensions,
  };
  return planCopy(item, { space: 'user', overwrite }, places);
}

test('A copy makes the folders it needs, the space itself included, and leaves nothing else behind', () => {
  copyItems([plan(join(root, 'new'))]);
  expect(readdirSync(join(root, 'new'), { recursive: true })).toEqual(['knowledge', join('knowledge', 'rules.md')]);
});

test('A file that came there in the meantime is not replaced', () => {
  const planned = plan(root);
  copyItems([plan(root)]);
  writeFileSync(join(root, 'knowledge', 'rules.md'), 'mine');
  expect(thrownBy(() => copyItems([planned])).code).toBe('invalid_argument');
  expect(readFileSync(join(root, 'knowledge', 'rules.md'), 'utf8')).toBe('mine');
  expect(readdirSync(join(root, 'knowledge'))).toEqual(['rules.md']);
});

test('Of several that can’t all be made none is left', () => {
  const planned = plan(root);
  copyItems([planned]);
  const first = { ...planned, file: join('knowledge', 'other.md') };
  expect(thrownBy(() => copyItems([first, planned])).code).toBe('invalid_argument');
  expect(readdirSync(join(root, 'knowledge'))).toEqual(['rules.md']);
});

test('A folder in the file’s place is never replaced, and says why', () => {
  const planned = plan(root, true);
  copyItems([plan(root)]);
  rmSync(join(root, 'knowledge', 'rules.md'));
  copyItems([{ ...planned, file: join('knowledge', 'rules.md', 'x.md') }]);
  expect(thrownBy(() => copyItems([planned]))).toMatchObject({
    code: 'project_unwritable',
    message: expect.stringContaining('knowledge "rules"'),
  });
});

test('A file of a type that is no item in the other space is not copied there', () => {
  expect(thrownBy(() => plan(root, false, ['.txt', '.rst']))).toMatchObject({
    code: 'invalid_argument',
    message: expect.stringMatching(/\.md file is no knowledge in the user space; \.txt, \.rst are/),
  });
});

test('A space that is a file can’t be written', () => {
  writeFileSync(join(root, 'file'), '');
  expect(thrownBy(() => copyItems([plan(join(root, 'file'))])).code).toBe('project_unwritable');
});
