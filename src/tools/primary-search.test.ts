import { afterEach, beforeEach, expect, test } from 'vitest';
import { compileCapabilities } from '../items/capability.ts';
import { createItemFiles, type ItemFiles } from '../items/search/fixtures/item-files.ts';
import { createItemIndex, type ItemIndex } from '../items/search/item-index.ts';
import type { PrimaryResult } from './primary-result.ts';
import { searchItems } from './primary-search.ts';

let files: ItemFiles;
let index: ItemIndex;

beforeEach(() => {
  files = createItemFiles();
  index = createItemIndex({ file: ':memory:', ...files.source, now: () => 0 });
});
afterEach(() => {
  index.close();
  files.remove();
});

const REQUEST = {
  primary: 'search',
  kind: 'knowledge',
  query: 'needle',
  source: undefined,
  category: undefined,
  tags: [],
  limit: 2,
  dryRun: false,
} as const;

/** What comes out of a search by a caller with these rights. */
function search(...patterns: readonly string[]): Promise<PrimaryResult> {
  const caller = compileCapabilities(patterns);
  return new Promise((resolve) => void searchItems({ request: REQUEST, caller }, index, resolve));
}

test('A caller that may search everything is told how many hits there are', async () => {
  for (const id of ['a', 'b', 'c']) files.put(`knowledge/project/${id}`, '\n\nneedle');
  expect(await search('rye.search.*')).toMatchObject({ data: { total: 3, results: { length: 2 } } });
});

test('A caller that may not is shown what it may see, behind however many better hits', async () => {
  for (let n = 0; n < 1100; n++) files.put(`knowledge/project/b/${n}`, '\n\nneedle needle');
  for (const id of [1, 2, 3]) files.put(`knowledge/project/a/${id}`, '\n\na needle among other words');
  const result = await search('rye.search.knowledge.a.*');
  expect(result).toMatchObject({ data: { total: 3, results: [{ item_id: 'a/1' }, { item_id: 'a/2' }] } });
  expect(result).not.toHaveProperty('warnings');
});

test('A caller that may see none of the hits lacks the right', async () => {
  files.put('knowledge/project/b', '\n\nneedle');
  expect(await search('rye.search.knowledge.a.*')).toMatchObject({ code: 'permission_denied' });
});

test('A failure of the index is an error result', async () => {
  index.close();
  expect(await search('rye.search.*')).toMatchObject({ status: 'error', code: 'runtime_closed' });
});
