import * as fc from 'fast-check';
import { join, resolve, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SkeinError } from '../core/errors.ts';
import { parseItemId } from './item-id.ts';

const refusal = (text: unknown): SkeinError => {
  try {
    parseItemId(text);
  } catch (error) {
    if (error instanceof SkeinError) return error;
  }
  throw new Error('nothing was refused');
};

/** The id, or undefined if it is refused as it should be. */
const accepted = (text: string): string | undefined => {
  try {
    return parseItemId(text);
  } catch (error) {
    if (error instanceof SkeinError) return undefined;
    throw error;
  }
};

describe('item ids', () => {
  test.each(['a', 'rye/agent/core/Identity', 'project/file-system/read_2', 'a.b/c.d', '_x/-y', '...', '.hidden/x'])(
    'accepts %j as it is',
    (id) => {
      expect(parseItemId(id)).toBe(id);
    },
  );

  test.each([
    ['', 'empty'],
    ['/etc/passwd', 'absolute'],
    ['a/../b', '".." segment'],
    ['..', '".." segment'],
    ['a/./b', '"." segment'],
    ['a//b', 'empty segment'],
    ['a/', 'empty segment'],
    ['a\\b', 'backslash'],
    ['a\0b', 'NUL'],
    ['%2e%2e/b', '"%"'],
    ['a b', 'outside'],
    ['a/ü', 'outside'],
    ['a\n', 'outside'],
    ['C:/x', 'outside'],
    ['a'.repeat(513), 'longer than'],
    [`${'a'.repeat(79)}😀`.repeat(7), `"${'a'.repeat(79)}…"`],
    ['a'.repeat(201), 'longer than'],
    [undefined, 'undefined'],
    [null, 'null'],
    [['a'], 'a list'],
  ])('refuses %j and says why', (text, reason) => {
    const error = refusal(text);
    expect(error.code).toBe('item_id_refused');
    expect(error.message).toContain(reason);
  });

  test('shows what a terminal would obey as it is written, and does not obey it', () => {
    expect(refusal('\u009b2J\u202e').message).toContain('"\\u009b2J\\u202e"');
  });

  test('an accepted id never leads out of the folder it is joined to', () => {
    const folder = resolve('/space/tools');
    const pieces = fc.array(fc.constantFrom('..', '.', '/', '\\', 'a', '%2e', '\0', '~', 'b.c', ':'), {
      maxLength: 12,
    });
    const nasty = pieces.map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(fc.string(), nasty), (text) => {
        const id = accepted(text);
        expect(id === undefined || join(folder, id).startsWith(folder + sep)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
