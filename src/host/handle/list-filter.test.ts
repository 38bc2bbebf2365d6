import { describe, expect, test } from 'vitest';
import { checkListFilter } from './list-filter.ts';
import type { ListFilter } from '../runtime.ts';

describe('A filter of a list of threads', () => {
  test.each<[ListFilter]>([
    [{}],
    [{ status: [], limit: 0 }],
    [{ status: ['suspended', 'created'], directive: 'no/such', limit: 7 }],
  ])('that is %j is taken', (filter) => {
    expect(() => checkListFilter(filter)).not.toThrow();
  });

  test.each([
    [{ status: 'suspended' }, 'expected array'],
    [{ status: ['suspendet'] }, '"suspended"'],
    [{ status: null }, 'status'],
    [{ parent: 7 }, 'parent'],
    [{ directive: ['look'] }, 'directive'],
    [{ limit: '5' }, 'limit'],
    [{ limit: -1 }, 'limit'],
    [{ state: ['suspended'] }, 'list has no option "state"'],
    ['suspended', 'options argument of list'],
  ])('that is %j is refused, and says why', (filter, why) => {
    // What a caller without types may pass.
    expect(() => checkListFilter(filter as ListFilter)).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining(why) }),
    );
  });
});
