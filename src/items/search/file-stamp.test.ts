import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fileHash } from './file-stamp.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'skein-stamp-')));
});
afterEach(() => rmSync(root, { recursive: true }));

test('a file behind a link to a folder elsewhere is not opened for its hash', () => {
  mkdirSync(join(root, 'elsewhere'));
  writeFileSync(join(root, 'elsewhere', 'a.md'), 'secret');
  symlinkSync(join(root, 'elsewhere'), join(root, 'tools'));
  expect(fileHash(join(root, 'elsewhere', 'a.md'))).toMatch(/^[\w-]{43}$/);
  expect(fileHash(join(root, 'tools', 'a.md'))).toBeUndefined();
});
