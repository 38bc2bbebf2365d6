import { expect, test } from 'vitest';
import { compileCapabilities } from '../items/capability.ts';
import type { SearchResult } from '../items/search/item-index.ts';
import type { PrimaryResult } from './primary-result.ts';
import { searchItems, type ItemSearch } from './primary-search.ts';

const REQUEST = {
  primary: 'search',
  kind: 'knowledge',
  query: 'a',
  source: undefined,
  category: undefined,
  tags: [],
  limit: 2,
  dryRun: false,
} as const;

const hit = (id: string): SearchResult['hits'][number] => {
  const texts = { name: id, title: id, description: '', category: '', snippet: '' };
  return { kind: 'knowledge', id, space: 'project', tags: [], score: 1, ...texts };
};

/** What comes out of a search of which the index found these, and `total` in all, by a caller with these rights. */
function search(found: Pick<SearchResult, 'hits' | 'total'>, ...patterns: readonly string[]): Promise<PrimaryResult> {
  const index: ItemSearch = { search: () => Promise.resolve({ ...found, skipped: [], notes: [] }) };
  const caller = compileCapabilities(patterns);
  return new Promise((resolve) => void searchItems({ request: REQUEST, caller }, index, resolve));
}

test('A caller that may search everything is told how many hits there are', async () => {
  const found = { hits: [hit('a'), hit('b')], total: 900 };
  expect(await search(found, 'rye.search.*')).toMatchObject({ status: 'success', data: { total: 900 } });
});

test('A caller that may not is told how many of them it may see', async () => {
  const found = { hits: [hit('a/1'), hit('b/1'), hit('a/2'), hit('a/3')], total: 4 };
  const result = await search(found, 'rye.search.knowledge.a.*');
  expect(result).toMatchObject({ data: { total: 3, results: [{ item_id: 'a/1' }, { item_id: 'a/2' }] } });
  expect(result).not.toHaveProperty('warnings');
});

test('Where not all hits could be looked at, nothing visible is no lack of rights', async () => {
  const result = await search({ hits: [hit('b/1')], total: 5000 }, 'rye.search.knowledge.a.*');
  expect(result).toMatchObject({ status: 'success', data: { results: [], total: 0 } });
  expect(result.warnings).toEqual([expect.stringContaining('narrower')]);
});

test('A failure of the index is an error result', async () => {
  const index: ItemSearch = { search: () => Promise.reject(new Error('disk gone')) };
  const result = await new Promise((resolve) => {
    searchItems({ request: REQUEST, caller: { allows: () => true } }, index, resolve);
  });
  expect(result).toMatchObject({ status: 'error', code: 'internal', error: 'disk gone' });
});
