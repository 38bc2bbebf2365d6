import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ItemKind, PrimaryAction } from '../core/item.ts';
import { type CapabilityChain, compileCapabilities, compileChain, intersect, widening } from './capability.ts';

type Call = [PrimaryAction, ItemKind | undefined, string | undefined];
const read: Call = ['execute', 'tool', 'rye/file-system/read'];

describe('capabilities', () => {
  test.each<[string, Call, boolean]>([
    ['rye.execute.tool.rye.file-system.read', read, true],
    ['rye.execute.tool.rye.file-system.*', read, true],
    ['rye.execute.tool.*', read, true],
    ['rye.execute.*', read, true],
    ['rye.*', read, true],
    ['*', read, true],
    ['rye.*.read', read, true],
    ['rye.*file*read*', read, true],
    ['rye.execute.tool.rye.file-system', read, false],
    ['rye.execute.tool.rye.file-system.rea', read, false],
    ['rye.execute.tool.rye.file-system.read.*', read, false],
    ['rye.execute.directive.*', read, false],
    ['rye.load.*', read, false],
    ['rye.*.write', read, false],
    ['rye.*read*read', read, false],
    ['', read, false],
    ['rye.fetch.*', ['load', 'knowledge', 'a'], true],
    ['rye.fetch.*', ['search', 'knowledge', undefined], true],
    ['rye.load.*', ['fetch', 'knowledge', 'a'], true],
    ['rye.search.*', ['fetch', 'knowledge', undefined], true],
    ['rye.load.*', ['search', 'knowledge', undefined], false],
    ['rye.fetch.*', ['execute', 'tool', 'a'], false],
    ['rye.fetch.*', ['sign', 'tool', 'a'], false],
    ['rye.search.*', ['search', undefined, undefined], true],
    ['rye.search.tool.*', ['search', undefined, undefined], false],
    ['rye.search.tool.*', ['search', 'tool', undefined], true],
    ['rye.search.tool.rye.*', ['search', 'tool', undefined], false],
  ])('%j on %j is %j', (pattern, [primary, kind, id], expected) => {
    expect(compileCapabilities([pattern]).allows(primary, kind, id)).toBe(expected);
  });

  test('without any list or pattern everything is denied', () => {
    expect(compileCapabilities([]).allows(...read)).toBe(false);
    expect(compileChain([]).allows(...read)).toBe(false);
  });

  test('every list of a chain has to allow a call', () => {
    const chain = compileChain([['rye.execute.*'], ['rye.*.tool.rye.*', 'rye.load.*']]);
    expect(chain.allows(...read)).toBe(true);
    expect(chain.allows('execute', 'tool', 'other/read')).toBe(false);
    expect(chain.allows('load', 'tool', 'rye/x')).toBe(false);
  });

  test.each<
    [readonly string[] | undefined, readonly (readonly string[])[] | undefined, readonly (readonly string[])[]]
  >([
    [undefined, undefined, []],
    [undefined, [['a']], [['a']]],
    [['a'], undefined, [['a']]],
    [['b'], [['a']], [['a'], ['b']]],
    [['a'], [['a']], [['a']]],
    [[], [['a']], [['a'], []]],
    [['rye.*'], [], []],
  ])('%j within %j is %j', (child, parent, expected) => {
    expect(intersect(child, parent)).toEqual(expected);
  });

  test('what a child declares beyond its base is named', () => {
    const base = ['rye.execute.tool.rye.*', 'rye.fetch.*'];
    const child = [
      'rye.execute.tool.rye.fs.*',
      'rye.load.knowledge.*',
      'rye.execute.*',
      'rye.sign.*',
      'rye.execute.tool.rye.*',
    ];
    expect(widening(child, base)).toEqual(['rye.execute.*', 'rye.sign.*']);
  });

  test.each([
    [['rye.load.*', 'rye.search.*'], []],
    [['rye.load.knowledge.*', 'rye.search.*'], ['rye.fetch.tool.*']],
    [['rye.load.*'], ['rye.fetch.knowledge.a', 'rye.fetch.tool.*']],
    [['rye.search.*'], ['rye.fetch.knowledge.a', 'rye.fetch.tool.*']],
  ])('what %j grants of a fetch, which is a load and a search, leaves over %j', (base, beyond) => {
    expect(widening(['rye.fetch.knowledge.a', 'rye.fetch.tool.*'], base)).toEqual(beyond);
  });

  /* Any text at all, and what a person writes: only of the latter do many allow anything. */
  const pieces = fc.array(fc.constantFrom('rye', '.', '*', 'tool', 'execute', 'a', 'aa', '-'), { maxLength: 10 });
  const written = fc.array(fc.constantFrom('a', 'aa', '*', 'a*'), { minLength: 1, maxLength: 3 });
  const pattern = fc.oneof(
    { weight: 1, arbitrary: pieces.map((parts) => parts.join('')) },
    { weight: 1, arbitrary: fc.constantFrom('*', 'rye.*', 'rye.execute.*', 'rye.execute.tool.*', 'rye.*.a') },
    { weight: 6, arbitrary: written.map((parts) => `rye.execute.tool.${parts.join('.')}`) },
  );
  const id = fc
    .array(fc.constantFrom('a', 'aa', 'tool', 'rye'), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join('/'));

  test('a child never gets more than its parent', () => {
    const asked = fc.option(fc.array(pattern, { maxLength: 4 }), { nil: undefined });
    const above = fc.array(fc.array(pattern, { minLength: 1, maxLength: 4 }), { maxLength: 3 });
    let [granted, denied] = [0, 0];
    fc.assert(
      fc.property(asked, above, id, (child, parent, item) => {
        const allows = (chain: CapabilityChain) => compileChain(chain).allows('execute', 'tool', item);
        if (child && allows([child]) && !allows(parent)) denied++;
        if (!allows(intersect(child, parent))) return;
        granted++;
        expect(allows(parent)).toBe(true);
        expect(child === undefined || allows([child])).toBe(true);
      }),
      { numRuns: 2_000 },
    );
    expect(Math.min(granted, denied)).toBeGreaterThan(100);
  });

  test('a pattern that is not widening allows nothing its base denies', () => {
    let [allowed, told] = [0, 0];
    fc.assert(
      fc.property(pattern, pattern, id, (child, base, item) => {
        const allows = (one: string) => compileCapabilities([one]).allows('execute', 'tool', item);
        if (!allows(child)) return;
        const isTold = widening([child], [base]).length > 0;
        if (isTold) told++;
        else allowed++;
        expect(isTold || allows(base)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
    expect(Math.min(allowed, told)).toBeGreaterThan(30);
  });
});
