import { describe, expect, test } from 'vitest';
import { costOf } from '../../../test/fixtures/cost-of.ts';
import { compileSearch } from './search-query.ts';

describe('the category of a search', () => {
  test.each([
    ['a/b', 'a/b'],
    ['a/b///', 'a/b'],
    ['a//b/', 'a//b'],
    ['//', null],
    ['', null],
  ])('%j is %j: slashes at its end say nothing', (category, expected) => {
    expect(compileSearch({ text: '', category }).category).toBe(expected);
  });

  test('may be of any length', () => {
    const category = `${'/'.repeat(50_000)}x`;
    expect(costOf(() => compileSearch({ text: '', category }))).toBeLessThan(200);
  });
});
