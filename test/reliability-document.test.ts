import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PACKAGE_ROOT } from './fixtures/source-files.ts';

const DOCS = join(PACKAGE_ROOT, 'docs');
const document = readFileSync(join(DOCS, 'reliability.md'), 'utf8');
const rows = [...document.matchAll(/^\| (?!Fault|-)(?<fault>[^|]+?) *\|[^|]+\| (?<tests>[^|]+?) *\|$/gm)];
const shown = rows.map(({ groups }) => [groups?.['fault'] ?? '', groups?.['tests'] ?? ''] as const);

test('docs/reliability.md has a table of faults', () => {
  expect(shown.length).toBeGreaterThan(15);
});

test.each(shown)('docs/reliability.md: "%s" is shown by a test', (_, tests) => {
  expect(linksOf(tests).length).toBeGreaterThan(0);
});

test('docs/reliability.md names tests that exist', () => {
  const missing = linksOf(document).filter(
    ([, title = '', path = '']) => !readFileSync(join(DOCS, path), 'utf8').includes(`'${title}`),
  );
  expect(missing.map(([link]) => link)).toEqual([]);
});

/** Tests that a text names, with their files. */
function linksOf(text: string): RegExpExecArray[] {
  return [...text.matchAll(/\[([^\]]+)\]\(([^)]+\.test\.ts)\)/g)];
}
