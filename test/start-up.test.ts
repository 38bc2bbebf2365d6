import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadedBy, type Loaded } from './fixtures/loaded-files.ts';
import { PACKAGE_ROOT } from './fixtures/source-files.ts';

const WORKERS = join(PACKAGE_ROOT, 'dist', 'workers');

test.each(['thread', 'symbols'])('The %s worker is a file or two of the package', (name) => {
  expect(own(loadedBy(join(WORKERS, `${name}.worker.js`))).length).toBeLessThan(6);
});

test('A thread worker loads what calls a model when one is called', () => {
  const { files, builtins } = loadedBy(join(WORKERS, 'thread.worker.js'));

  expect(packages({ files, builtins })).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/openai|anthropic|genai|undici/)]),
  );
  // Node's own `fetch` and what it stands on.
  expect(builtins).not.toContain('internal/deps/undici/undici');
  expect(builtins).not.toContain('http2');
});

test.each([
  ['--version', 0],
  ['status --help', 1],
  ['config show --help', 0],
])('`skein %s` loads no other command', (line, own) => {
  const loaded = loadedBy(join(PACKAGE_ROOT, 'dist', 'src', 'cli', 'main.js'), ...line.split(' '));

  expect(loaded.files.filter((file) => /[a-z]-command\.js$/.test(file)).length).toBe(own);
  const forThreads = /better-sqlite3|piscina|xstate|comlink|hono|modelcontextprotocol/;
  expect(packages(loaded).filter((name) => forThreads.test(name))).toEqual([]);
});

/** Files of the package itself. */
function own({ files }: Loaded): readonly string[] {
  return files.filter((file) => file.startsWith('file:') && !file.includes('/node_modules/'));
}

/** Names of the packages it takes from. */
function packages({ files }: Loaded): readonly string[] {
  const names = files.map((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))];
}
