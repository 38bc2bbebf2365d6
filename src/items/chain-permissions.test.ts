import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { costOf } from '../../test/fixtures/cost-of.ts';
import { directive } from '../../test/fixtures/directive.ts';
import { compileChain, narrow } from './capability.ts';
import { composePermissions } from './chain-permissions.ts';

const compose = (...levels: readonly (readonly string[] | undefined)[]) =>
  composePermissions(levels.map((permissions, at) => directive(`l${at}`, { permissions })));

describe('Permissions of a chain', () => {
  test.each([
    [[undefined], undefined],
    [[['rye.*']], [['rye.*']]],
    [[['rye.*'], undefined], [['rye.*']]],
    [[undefined, ['rye.*']], [['rye.*']]],
    [
      [['rye.*'], ['rye.sign.*']],
      [['rye.*'], ['rye.sign.*']],
    ],
    [
      [['rye.*'], undefined, ['rye.sign.*'], ['rye.*']],
      [['rye.*'], ['rye.sign.*']],
    ],
    [
      [['rye.*'], []],
      [['rye.*'], []],
    ],
  ])('%j are %j', (levels, capabilities) => {
    expect(compose(...levels).capabilities).toEqual(capabilities);
  });

  test('that ask for more than the levels above grant are told, level by level', () => {
    const { warnings } = compose(
      ['rye.execute.tool.a.*', 'rye.fetch.*'],
      ['rye.execute.tool.a.b', 'rye.load.*'],
      ['rye.execute.tool.a.c', 'rye.load.knowledge.x'],
    );
    expect(warnings).toEqual(['<permissions> of l2 asks for more than what it extends grants: rye.execute.tool.a.c']);
    expect(compose(['rye.sign.*'], ['rye.*', 'rye.sign.tool.x']).warnings[0]).toMatch(/of l1 .*: rye\.\*$/);
  });

  test('of long levels are composed without comparing each pattern with each', () => {
    const level = Array.from({ length: 1000 }, (_, at) => `rye.execute.tool.group.part${at}.${at % 2 ? '*' : 'run'}`);
    const levels = Array.from({ length: 8 }, (_, at) => [...level, `rye.execute.tool.extra${at}`]);
    expect(compose(...levels).warnings).toHaveLength(7);
    expect(costOf(() => compose(...levels), 250)).toBeLessThan(250);
  });

  /* Any text at all, and what a person writes: only of the latter do many allow anything. */
  const pieces = fc.array(fc.constantFrom('rye', '.', '*', 'tool', 'execute', 'a', 'b'), { maxLength: 8 });
  const written = fc.array(fc.constantFrom('a', 'b', '*', 'a*'), { minLength: 1, maxLength: 2 });
  const pattern = fc.oneof(
    { weight: 1, arbitrary: pieces.map((parts) => parts.join('')) },
    { weight: 1, arbitrary: fc.constantFrom('*', 'rye.*', 'rye.execute.*', 'rye.execute.tool.*', 'rye.*.a') },
    { weight: 4, arbitrary: written.map((parts) => `rye.execute.tool.${parts.join('.')}`) },
  );
  const level = fc.option(fc.array(pattern, { maxLength: 4 }), { nil: undefined });
  const id = fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 2 }).map((parts) => parts.join('/'));

  test('never allow what one of the levels denies, nor what the parent thread may not', () => {
    const parent = fc.array(fc.array(pattern, { minLength: 1, maxLength: 3 }), { maxLength: 2 });
    let [allowed, denied] = [0, 0];
    fc.assert(
      fc.property(fc.array(level, { minLength: 1, maxLength: 3 }), parent, id, (levels, above, item) => {
        const { capabilities } = compose(...levels);
        const lists = [...levels, ...above].filter((list) => list !== undefined);
        const deniedBy = lists.filter((list) => !compileChain([list]).allows('execute', 'tool', item));
        if (deniedBy.length > 0 && deniedBy.length < lists.length) denied++;
        if (!compileChain(narrow(capabilities, above)).allows('execute', 'tool', item)) return;
        allowed++;
        expect(deniedBy).toEqual([]);
        expect(above).not.toEqual([]);
      }),
      { numRuns: 2_000 },
    );
    expect(Math.min(allowed, denied)).toBeGreaterThan(100);
  });
});
