import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { projectFolder } from './project-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'skein-project-'));
afterAll(() => rmSync(root, { recursive: true }));
writeFileSync(join(root, 'file'), '');
symlinkSync('circle', join(root, 'circle'));

test('A project is where it is said to be, or where its user works', () => {
  expect(projectFolder(undefined, root)).toBe(root);
  expect(projectFolder('.', root)).toBe(root);
});

test.each(['nowhere', 'file', 'file/below', 'circle', 'circle/below'])('%s is refused', (name) => {
  const refusal = { code: 'invalid_argument', where: { file: join(root, name) } };
  expect(() => projectFolder(name, root)).toThrow(expect.objectContaining(refusal));
});
