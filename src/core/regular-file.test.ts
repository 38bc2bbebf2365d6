import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readRegularFile } from './regular-file.ts';

let root: string;
beforeEach(() => {
  root = realpathSync.native(mkdtempSync(join(tmpdir(), 'skein-regular-')));
  mkdirSync(join(root, 'folder'));
  writeFileSync(join(root, 'folder', 'file'), 'text');
  symlinkSync('folder', join(root, 'way'));
  symlinkSync('folder/file', join(root, 'link'));
  execFileSync('mkfifo', [join(root, 'pipe')]);
});
afterEach(() => rmSync(root, { recursive: true }));

function read(name: string, { maxBytes = 4, isReal = false } = {}): string {
  const found = readRegularFile(join(root, name), { maxBytes, isReal });
  return found.kind === 'regular' ? `${found.bytes.toString()} of ${found.stats.size}` : found.kind;
}

describe('A file in which anything may be', () => {
  test.each([
    ['a file', 'folder/file', 'text of 4'],
    ['a link to one', 'link', 'text of 4'],
    ['a file behind a link to its folder', 'way/file', 'text of 4'],
    ['a folder', 'folder', 'not_regular'],
    ['a named pipe, which nobody waits for', 'pipe', 'not_regular'],
  ])('is read or said to be something else: %s', (_, name, found) => {
    expect(read(name)).toBe(found);
  });

  test('is not read where it is too large', () => {
    expect(read('folder/file', { maxBytes: 3 })).toBe('too_large');
  });

  test.runIf(process.platform === 'linux')('is as large as what is read of it, whatever it says', () => {
    const made = readRegularFile('/proc/self/status', { maxBytes: 3 });
    expect(made).toMatchObject({ kind: 'too_large', stats: { size: 0 } });
  });

  test('is not there: that is the error of the file system', () => {
    expect(() => read('none')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });

  test('is another one where its path should have no links, and has', () => {
    const isReal = true;
    expect(read('folder/file', { isReal })).toBe('text of 4');
    expect(read('way/file', { isReal })).toBe('replaced');
    expect(() => read('link', { isReal })).toThrow(expect.objectContaining({ code: 'ELOOP' }));
  });
});
