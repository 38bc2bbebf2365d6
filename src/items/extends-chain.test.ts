import { describe, expect, test } from 'vitest';
import { directive } from '../../test/fixtures/directive.ts';
import { SkeinError } from '../core/errors.ts';
import { MAX_LEVELS, readLevels } from './extends-chain.ts';

/** Directives by id, with what each extends. */
const read = (bases: Readonly<Record<string, string | undefined>>, leaf: string): readonly string[] =>
  readLevels({
    leaf: directive(leaf),
    base: bases[leaf],
    load(id) {
      if (!Object.hasOwn(bases, id)) {
        throw new SkeinError('item_not_found', `There is no directive "${id}"`, { where: { file: 'somewhere' } });
      }
      return directive(id, { extends: bases[id] });
    },
  }).map(({ id }) => id);

const line = (length: number): Record<string, string | undefined> =>
  Object.fromEntries(Array.from({ length }, (_, at) => [`l${at}`, at + 1 < length ? `l${at + 1}` : undefined]));

describe('An extends chain', () => {
  test.each([
    [{ a: undefined }, ['a']],
    [{ a: 'b', b: undefined }, ['b', 'a']],
    [{ a: 'b', b: 'c', c: undefined }, ['c', 'b', 'a']],
  ])('of %j is %j, root first', (bases, ids) => {
    expect(read(bases, 'a')).toEqual(ids);
  });

  test('starts with the base that is given, whatever the directive itself extends', () => {
    const levels = readLevels({ leaf: directive('a', { extends: 'x' }), base: 'b', load: (id) => directive(id) });
    expect(levels.map(({ id }) => id)).toEqual(['b', 'a']);
  });

  test.each([
    [{ a: 'a' }, 'a → a', 'circle'],
    [{ a: 'b', b: 'a' }, 'a → b → a', 'circle'],
    [{ a: 'b', b: 'c', c: 'b' }, 'a → b → c → b', 'circle'],
  ])('%j is refused with %s: a %s', (bases, chain, reason) => {
    const where = expect.objectContaining({ code: 'invalid_item', message: expect.stringContaining(reason) });
    expect(() => read(bases, 'a')).toThrowError(where);
    expect(() => read(bases, 'a')).toThrowError(chain);
  });

  test('with a missing base is refused with its code, place and the chain', () => {
    expect(() => read({ a: 'b', b: 'gone' }, 'a')).toThrowError(
      expect.objectContaining({
        code: 'item_not_found',
        message: expect.stringMatching(/a → b → gone .*There is no directive "gone"/),
        where: { file: 'somewhere' },
      }),
    );
  });

  test(`has at most ${MAX_LEVELS} levels`, () => {
    expect(read(line(MAX_LEVELS), 'l0')).toHaveLength(MAX_LEVELS);
    expect(() => read(line(MAX_LEVELS + 1), 'l0')).toThrowError(`more than ${MAX_LEVELS} levels`);
  });
});
