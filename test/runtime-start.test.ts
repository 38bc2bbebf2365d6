import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { project } from './fixtures/scene.ts';

const PROGRAM = fileURLToPath(new URL('fixtures/failing-starts.ts', import.meta.url));

/** Modules that workers load as they start, and what the runtime is refused with because of them. */
const STARTS: Readonly<Record<string, { readonly code: string; readonly source: (database: string) => string }>> = {
  // The workers are up then, and the host can't open the database to read. Its log goes with it: one that is left alone is
  // refused at the next start.
  'database-gone': {
    code: 'store_failed',
    source: (database) =>
      `import { rmSync } from 'node:fs';\nfor (const end of ['', '-wal', '-shm']) rmSync('${database}' + end, { force: true });\nexport default [];\n`,
  },
  throws: { code: 'invalid_argument', source: () => `throw new Error('broken');\n` },
  'no-tools': { code: 'invalid_argument', source: () => 'export default 7;\n' },
  exits: { code: 'worker_lost', source: () => 'process.exit(3);\n' },
};

test('a runtime that cannot start leaves no worker, no lock and no handle behind', async () => {
  using made = project();
  const database = join(made.path, '.ai', 'threads', 'threads.db');
  const modules = Object.entries(STARTS).map(([name, { source }]) => {
    made.write(`${name}.js`, source(database));
    return pathToFileURL(join(made.path, `${name}.js`)).href;
  });
  // Rejects if the program fails, or does not end by itself.
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, made.path, ...modules], {
    timeout: 100_000,
  });
  expect(stdout.trim().split('\n')).toEqual([
    ...Object.values(STARTS).map(({ code }) => `${code} 0`),
    'invalid_argument 0',
    'invalid_argument 0',
    'invalid_argument 0',
    'invalid_config 0',
    // The store's and its own.
    '2',
    'free',
  ]);
}, 120_000);
