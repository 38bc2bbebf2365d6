import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { marks } from './marks.ts';

test.each<[string, number[], { breakpoints: number; minimumTokens: number }, number[]]>([
  ['all that are large enough', [2000, 2000, 2000, 2000], { breakpoints: 4, minimumTokens: 1024 }, [0, 1, 2, 3]],
  ['not under the minimum', [1023], { breakpoints: 4, minimumTokens: 1024 }, []],
  ['at the minimum', [1024], { breakpoints: 4, minimumTokens: 1024 }, [0]],
  ['small ones after others that reach it', [600, 600, 1], { breakpoints: 4, minimumTokens: 1024 }, [1, 2]],
  ['the last ones of too many', [2000, 1, 1, 1], { breakpoints: 2, minimumTokens: 1024 }, [2, 3]],
  ['none where none are taken', [2000], { breakpoints: 0, minimumTokens: 0 }, []],
  ['none for nothing', [2000, 0, 10], { breakpoints: 4, minimumTokens: 0 }, [0, 2]],
])('marks stand at %s', (_title, tokens, limits, wanted) => {
  expect(
    marks(
      tokens.map((each) => ({ tokens: each })),
      limits,
    ),
  ).toEqual(wanted);
});

test('there are never more than the provider takes, none under its minimum, and they are in order', () => {
  const blocks = fc.array(fc.record({ tokens: fc.nat(3000) }), { maxLength: 8 });
  const limits = fc.record({ breakpoints: fc.nat(4), minimumTokens: fc.nat(5000) });
  fc.assert(
    fc.property(blocks, limits, (given, limit) => {
      const marked = marks(given, limit);
      expect(marked.length).toBeLessThanOrEqual(limit.breakpoints);
      expect(marked).toEqual([...new Set(marked)].toSorted((one, other) => one - other));
      for (const at of marked) {
        const prefix = given.slice(0, at + 1).reduce((sum, { tokens }) => sum + tokens, 0);
        expect(prefix).toBeGreaterThanOrEqual(limit.minimumTokens);
      }
    }),
  );
});
