import { afterEach, beforeEach, expect, test } from 'vitest';
import { compileCapabilities } from '../items/capability.ts';
import { createItemFiles, type ItemFiles } from '../items/search/fixtures/item-files.ts';
import { createItemIndex, type ItemIndex } from '../items/search/item-index.ts';
import type { SearchRequest } from './primary-request.ts';
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
  return searchFor({}, ...patterns);
}

function searchFor(more: Partial<SearchRequest>, ...patterns: readonly string[]): Promise<PrimaryResult> {
  const caller = compileCapabilities(patterns);
  const request = { ...REQUEST, ...more };
  return new Promise((resolve) => void searchItems({ request, caller }, index, resolve));
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

test.each([
  ['may search everything', 'rye.search.*', 'success'],
  ['may search all of the kind', 'rye.search.knowledge.*', 'success'],
  ['may fetch', 'rye.fetch.*', 'success'],
  ['may see some of the hits', 'rye.search.knowledge.a.*', 'success'],
  ['may see none of the hits', 'rye.search.knowledge.c.*', 'permission_denied'],
  ['may search another kind', 'rye.search.tool.*', 'permission_denied'],
  ['may only load', 'rye.load.*', 'permission_denied'],
])('A dry run by a caller that %s ends as the search would', async (_name, pattern, ending) => {
  for (const id of ['a/1', 'b/1']) files.put(`knowledge/project/${id}`, '\n\nneedle');
  const real = await search(pattern);
  const dry = await searchFor({ dryRun: true }, pattern);
  const endings = [real, dry].map((result) => (result.status === 'success' ? result.status : result.code));
  expect(endings).toEqual([ending, ending]);
});

test.each(['rye.search.*', 'rye.search.knowledge.a.*'])(
  'A dry run with %s says the query, and has no hits',
  async (pattern) => {
    files.put('knowledge/project/a/1', '\n\nneedle');
    const data = { dry_run: true, query: { text: 'needle', kinds: ['knowledge'], tags: [], limit: 2 } };
    expect(await searchFor({ dryRun: true }, pattern)).toEqual({
      status: 'success',
      type: 'knowledge',
      item_id: null,
      data,
    });
  },
);

test('A dry run of a malformed query is the error that the search would be', async () => {
  const asked = { query: '(needle' };
  const [real, dry] = [await searchFor(asked, '*'), await searchFor({ ...asked, dryRun: true }, '*')];
  expect(dry).toMatchObject({ status: 'error', code: 'invalid_argument' });
  expect(dry).toEqual(real);
});
