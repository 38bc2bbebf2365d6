import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ContextSketch, directive } from '../../test/fixtures/directive.ts';
import { composeContext } from './compose-context.ts';

const compose = (...levels: readonly ContextSketch[]) => {
  const { system, before, after, suppress } = composeContext(
    levels.map((context, at) => directive(`l${at}`, { context })),
  );
  const ids = (items: typeof system): string[] => items.map(({ id }) => id);
  return { system: ids(system), before: ids(before), after: ids(after), suppress: [...suppress] };
};

describe('The context of a chain', () => {
  test('is that of its levels, root first', () => {
    const base = { system: ['a'], before: ['b', 'c'], after: ['d'] };
    expect(compose(base, {}, { system: ['e'], before: ['f'], after: ['g', 'h'] })).toEqual({
      system: ['a', 'e'],
      before: ['b', 'c', 'f'],
      after: ['d', 'g', 'h'],
      suppress: [],
    });
  });

  test('has an item once, where it stands first, whatever the place', () => {
    expect(compose({ system: ['a'], before: ['a'] }, { before: ['b', 'a'], after: ['b'] }, { system: ['b'] })).toEqual({
      system: ['a'],
      before: ['b'],
      after: [],
      suppress: [],
    });
  });

  test.each([
    ['the root', [{ suppress: ['a'] }, {}, { before: ['a', 'b'] }]],
    ['the middle', [{ before: ['a'] }, { suppress: ['a'] }, { before: ['b'] }]],
    ['the directive itself', [{ before: ['a'] }, {}, { suppress: ['a'], before: ['a', 'b'] }]],
  ])('is without what %s suppresses', (_name, levels) => {
    expect(compose(...levels)).toMatchObject({ before: ['b'], suppress: ['a'] });
  });

  test('says which directive wants an item', () => {
    const levels = [
      directive('root', { context: { before: ['a'] } }),
      directive('leaf', { context: { before: ['b', 'a'] } }),
    ];
    expect(composeContext(levels).before).toEqual([
      { id: 'a', declaredBy: 'root' },
      { id: 'b', declaredBy: 'leaf' },
    ]);
  });

  const ids = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { maxLength: 4 });
  const level = fc.record({ system: ids, before: ids, after: ids, suppress: ids });

  test('never has a suppressed item, has every other one once, and keeps the order of declaration', () => {
    fc.assert(
      fc.property(fc.array(level, { minLength: 1, maxLength: 5 }), (levels) => {
        const context = compose(...levels);
        const all = [...context.system, ...context.before, ...context.after];
        const declared = new Set(levels.flatMap(({ system, before, after }) => [...system, ...before, ...after]));
        expect(all.toSorted()).toEqual([...declared].filter((id) => !context.suppress.includes(id)).toSorted());
        const order = [...new Set(levels.flatMap(({ before }) => before))];
        expect(context.before).toEqual(order.filter((id) => context.before.includes(id)));
        expect(compose(...levels)).toEqual(context);
      }),
    );
  });
});
