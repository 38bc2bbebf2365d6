import { join } from 'node:path/posix';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { threadCpuUs } from '../../bench/thread-cpu.ts';
import { python } from './languages/python.ts';
import { createLinkResolver } from './resolve-link.ts';

/** Folders that both have: of `a/b/c.py` and `a/d/e.py` it is one. */
function shared(one: string, other: string): number {
  const names = other.split('/');
  return one.split('/').findIndex((name, at) => name !== names[at]);
}

describe('A link that may start in any folder', () => {
  test('means what is nearest to the file, of those as near the first', () => {
    const folder = fc.array(fc.constantFrom('a', 'b', 'a-b', 'B'), { maxLength: 4 });
    const path = folder.map((names) => join(...names, 'x.py'));
    fc.assert(
      fc.property(fc.uniqueArray(path, { minLength: 2, maxLength: 20 }), folder, folder, (paths, [...names], way) => {
        const from = join(...names, 'from.py');
        const link = join(...way, 'x');
        const found = paths.filter((other) => other.endsWith(`/${link}.py`)).toSorted();
        const nearest = found.toSorted((one, other) => shared(other, from) - shared(one, from))[0];
        const expected = paths.includes(`${link}.py`) ? `${link}.py` : nearest;
        expect(createLinkResolver(paths)(from, [link], python)).toBe(expected);
      }),
    );
  });

  test.each([
    ['that are nowhere', (at: number) => `other${at}`],
    ['that are in one folder', (at: number) => `package${at}`],
    ['that are in every folder', () => 'same'],
  ])('is found in little time among thousands of files of the same name: links %s', (_, linkOf) => {
    const folders = Array.from({ length: 5000 }, (_, at) => `lib/package${at}`);
    const resolve = createLinkResolver(folders.flatMap((folder) => [`${folder}/__init__.py`, `${folder}/same.py`]));
    const startedAt = threadCpuUs();
    for (const [at, folder] of folders.entries()) resolve(`${folder}/a.py`, [linkOf(at)], python);
    expect(threadCpuUs() - startedAt).toBeLessThan(1_000_000);
  });

  test('is found from a file whose path begins at the root', () => {
    expect(createLinkResolver(['/a/x.py', '/b/x.py'])('/b/c.py', ['x'], python)).toBe('/b/x.py');
  });
});
