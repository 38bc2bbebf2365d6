import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readItemFile } from './item-file.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'skein-file-')));
});
afterEach(() => rmSync(root, { recursive: true }));

test('A file is read by a path through a link to a folder above its space', () => {
  const space = join(root, 'real', 'space');
  mkdirSync(space, { recursive: true });
  writeFileSync(join(space, 'k.md'), 'text');
  symlinkSync(join(root, 'real'), join(root, 'link'));
  expect(readItemFile(join(root, 'link', 'space', 'k.md'), space)?.text).toBe('text');
});
