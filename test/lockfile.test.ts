import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Record<string, { gypfile?: boolean; resolved?: string }>;
};

test('npm 10 is told that better-sqlite3 needs no compiler (else: npm run lock:fix)', () => {
  expect(lock.packages['node_modules/better-sqlite3']?.gypfile).toBe(false);
});

test('the lock file names no host to download from', () => {
  expect(Object.values(lock.packages).filter(({ resolved }) => resolved?.startsWith('http'))).toEqual([]);
});
