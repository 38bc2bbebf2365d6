import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../src/config/load.ts';
import { readParsedFiles } from '../src/config/parsed-files.ts';
import { ITEM_KINDS } from '../src/core/item.ts';
import { withParsedItems } from '../src/items/parsed-items.ts';
import { createParserRouter } from '../src/items/parser-router.ts';
import { createSpaces } from '../src/items/spaces.ts';
import { loadedBy, type Loaded } from './fixtures/loaded-files.ts';
import { PACKAGE_ROOT } from './fixtures/source-files.ts';

const WORKERS = join(PACKAGE_ROOT, 'dist', 'workers');

test('What ships is parsed when it is built', () => {
  const systemDir = join(PACKAGE_ROOT, 'dist', 'config');
  expect(readParsedFiles(systemDir)?.config).toStrictEqual(
    loadConfig({ systemDir: join(PACKAGE_ROOT, 'config') }).config,
  );
});

test('Items that ship are parsed when they are signed', () => {
  const systemDir = join(PACKAGE_ROOT, 'dist', 'config');
  const { extractors } = loadConfig({ systemDir }).config;
  const router = createParserRouter(extractors);
  const parsed: string[] = [];
  const parse: typeof router.parse = (item) => {
    parsed.push(item.id);
    return router.parse(item);
  };
  const reading = withParsedItems({ ...router, parse }, { systemDir, extractors: extractors.system });
  const spaces = createSpaces({ projectPath: systemDir, systemSpace: join(systemDir, 'space') }, router);
  const items = ITEM_KINDS.flatMap((kind) => spaces.list(kind).map((id) => spaces.read(kind, id, 'system')));
  expect(items.length).toBeGreaterThan(40);
  for (const item of items) expect(reading.parse(item)).toEqual(router.parse(item));
  expect(parsed).toEqual([]);
});

test.each(['thread', 'symbols'])('The %s worker is a file or two of the package', (name) => {
  expect(own(loadedBy(join(WORKERS, `${name}.worker.js`))).length).toBeLessThan(6);
});

test('A thread worker loads what calls a model when one is called', () => {
  const { files, builtins } = loadedBy(join(WORKERS, 'thread.worker.js'));

  expect(packages({ files, builtins })).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/openai|anthropic|genai|undici|yaml/)]),
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

test('A command on a project without YAML files of its own loads no parser for them', () => {
  const main = join(PACKAGE_ROOT, 'dist', 'src', 'cli', 'main.js');
  const project = mkdtempSync(join(tmpdir(), 'skein-start-up-'));
  try {
    const loaded = loadedBy(main, 'keys', 'list', '--project', project);
    expect(packages(loaded)).toContain('zod');
    expect(packages(loaded)).not.toContain('yaml');
  } finally {
    rmSync(project, { recursive: true });
  }
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
