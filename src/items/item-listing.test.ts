import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeBelow } from '../../test/fixtures/write-below.ts';
import { type LeftOut, listItemFiles } from './item-listing.ts';

let root: string;

beforeEach(() => {
  root = join(realpathSync(mkdtempSync(join(tmpdir(), 'skein-listing-'))), 'space');
  put('tools/good.py');
});
afterEach(() => rmSync(dirname(root), { recursive: true }));

test.each<[what: string, make: () => void, name: string, reason: RegExp]>([
  ['a name that is no id', () => put('tools/a b.py'), 'tools/a b.py', /no part of an id/],
  ['a folder whose name is no part of an id', () => put('tools/ä/x.py'), 'tools/ä', /no part of an id/],
  ['a name that could be taken for an option', () => put('tools/-x.py'), 'tools/-x.py', /no part of an id/],
  ['another extension', () => put('tools/x.toml'), 'tools/x.toml', /none of \.py, \.sh$/],
  ['a link out of the space', () => link('tools/out', dirname(root)), 'tools/out', /out of the space/],
  ['a link in a circle', () => link('tools/round', root), 'tools/round', /in a circle/],
  ['a link to nothing', () => link('tools/gone.py', 'nothing'), 'tools/gone.py', /leads nowhere/],
  ['a named pipe', () => execFileSync('mkfifo', [join(root, 'tools/pipe.py')]), 'tools/pipe.py', /no regular file/],
  ['what lies too deep', () => put(`tools/${'d/'.repeat(17)}x.py`), `tools/${'d/'.repeat(16)}d`, /16 folders deep/],
])('%s is told', (_, make, name, reason) => {
  make();
  expect(leftOut()).toEqual([[name, expect.stringMatching(reason)]]);
});

test('what is hidden or ignored is left out without a word, and what is listed is not told', () => {
  for (const name of ['tools/.hidden.py', 'tools/.git/x.py', 'tools/node_modules/x.py', 'tools/good.sh']) put(name);
  expect(leftOut()).toEqual([]);
});

test('a folder of items that leads out of the space is told, and one that is not there is not', () => {
  rmSync(join(root, 'tools'), { recursive: true });
  expect(leftOut()).toEqual([]);
  link('tools', dirname(root));
  expect(leftOut()).toEqual([['tools', 'a link that leads out of the space']]);
});

test('the end of a listing is told, with the first folder that is not looked into', () => {
  for (const name of ['tools/a.py', 'tools/b/x.py']) put(name);
  expect(leftOut(4)).toEqual([]);
  expect(leftOut(3)).toEqual([['tools/b', 'after 3 files and folders no further folder is looked into']]);
});

function put(name: string): void {
  writeBelow(root, name, '');
}

function link(name: string, target: string): void {
  symlinkSync(target, join(root, name));
}

function leftOut(maxEntries = 50): readonly (readonly [name: string, reason: string])[] {
  const told: LeftOut[] = [];
  const onLeftOut = (one: LeftOut): void => void told.push(one);
  listItemFiles({ root, path: join(root, 'tools') }, { extensions: ['.py', '.sh'], onLeftOut, maxEntries });
  return told.map(({ file, reason }) => [relative(root, file), reason]);
}
