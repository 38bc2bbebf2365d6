import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createItemFiles, type ItemFiles } from './fixtures/item-files.ts';
import { createItemIndex, type ItemIndex, type ItemIndexOptions } from './item-index.ts';

let files: ItemFiles;
let file: string;
const opened: ItemIndex[] = [];

/** Long after the files are written, so that their stamps are trusted. */
const now = (): number => Date.now() + 60_000;

const open = (options: Partial<ItemIndexOptions> = {}): ItemIndex => {
  const index = createItemIndex({ file, ...files.source, now, ...options });
  opened.push(index);
  return index;
};

beforeEach(() => {
  files = createItemFiles();
  file = join(files.root, 'cache', 'items.db');
  for (let n = 0; n < 50; n++)
    files.put(`tool/project/item-${n}`, `name: n${n}\n\nneedle ${'words of a text '.repeat(50)}`);
});
afterEach(() => {
  for (const index of opened.splice(0)) index.close();
  files.remove();
});

const total = async (index: ItemIndex): Promise<number> => (await index.search({ text: 'needle' })).total;

/** Makes an index and closes it. */
const make = async (options: Partial<ItemIndexOptions> = {}): Promise<void> => {
  const index = open(options);
  await index.refresh();
  index.close();
  files.reads.length = 0;
};

describe('an index file', () => {
  test('is not looked for behind a link: what is there is not its own to replace', async () => {
    const elsewhere = join(files.root, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'items.db'), 'of somebody else');
    symlinkSync(elsewhere, join(files.root, 'cache'));
    const index = open();
    expect((await index.refresh()).notes).toEqual([expect.stringContaining('its folder is a symbolic link')]);
    expect(await total(index)).toBe(50);
    expect(readdirSync(elsewhere)).toEqual(['items.db']);
    expect(readFileSync(join(elsewhere, 'items.db'), 'utf8')).toBe('of somebody else');
  });

  test('is replaced without making a file that a link beside it names', async () => {
    await make();
    writeFileSync(file, 'damaged');
    symlinkSync(join(files.root, 'made'), `${file}-lock`);
    expect(await total(open())).toBe(50);
    expect(existsSync(join(files.root, 'made'))).toBe(false);
  });

  test('is made with its folder, for its owner only, and out of version control', async () => {
    await make();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(file, '..', '.gitignore'), 'utf8')).toBe('*\n');
  });

  test('is used again, without reading the items', async () => {
    await make();
    const index = open();
    expect(await index.refresh()).toMatchObject({ added: 0, unchanged: 50 });
    expect(await total(index)).toBe(50);
    expect(files.reads).toEqual([]);
  });

  test('is used again with other weights', async () => {
    await make();
    const { weights } = files.source;
    const index = open({ weights: { ...weights, tool: { description: 1, name: 1 } } });
    expect(await index.refresh()).toMatchObject({ unchanged: 50 });
  });

  test.each<[string, (options: ItemIndexOptions['weights']) => Partial<ItemIndexOptions>]>([
    ['another field is searched', (weights) => ({ weights: { ...weights, tool: { ...weights.tool, owner: 1 } } })],
    ['a field is not searched any more', (weights) => ({ weights: { ...weights, tool: { name: 1, description: 0 } } })],
    ['the revision is another', () => ({ revision: () => '2' })],
  ])('is made anew if %s', async (_, change) => {
    await make();
    const index = open(change(files.source.weights));
    expect(await index.refresh()).toMatchObject({ added: 50, notes: [] });
    expect(await total(index)).toBe(50);
  });
});

test('an index whose revision changes while it is open is made anew, once, and in its file', async () => {
  let revision = '1';
  const index = open({ revision: () => revision });
  expect(await index.refresh()).toMatchObject({ added: 50, notes: [] });
  revision = '2';
  expect(await index.refresh()).toMatchObject({ added: 50, notes: [] });
  expect(await index.refresh()).toMatchObject({ added: 0, unchanged: 50, notes: [] });
  expect(await open({ revision: () => '2' }).refresh()).toMatchObject({ added: 0, unchanged: 50 });
});

describe('a file of no use is made anew:', () => {
  const overwrite = (from: number, to: number, byte: number): void => {
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(byte, from, Math.min(to, bytes.length)));
  };
  const change = (sql: string): void => {
    const db = new Database(file);
    db.exec(sql);
    db.close();
  };

  const AS_VIEW = 'ALTER TABLE meta RENAME TO said; CREATE VIEW meta AS SELECT * FROM said';

  test.each<[string, () => void]>([
    [
      'no database',
      () => writeFileSync(file, 'this is not a database, and longer than its header is, to be sure'.repeat(20)),
    ],
    ['an empty file', () => truncateSync(file)],
    ['a damaged header', () => overwrite(0, 100, 0x41)],
    ['a damaged schema', () => overwrite(100, 4096, 0x41)],
    ['a truncated file', () => truncateSync(file, 20_000)],
    ['a file without its end', () => truncateSync(file, statSync(file).size - 4096)],
    ['zeros from the second page on', () => overwrite(4096, Infinity, 0)],
    ['rubbish from the second page on', () => overwrite(4096, Infinity, 0xa5)],
    ['rubbish in the middle', () => overwrite(40_960, 122_880, 0xa5)],
    ['another program’s database', () => (rmSync(file), change('CREATE TABLE notes (text); PRAGMA user_version = 1'))],
    ['an older version', () => change('PRAGMA user_version = 0')],
    ['one of another release', () => change("UPDATE meta SET value = '0.0.0' WHERE name = 'release'")],
    ['a row that says something else', () => change("UPDATE items SET tags = 'rubbish' WHERE id = 'item-7'")],
    ['a link to another file', () => (renameSync(file, `${file}.old`), symlinkSync(`${file}.old`, file))],
    ['a missing table', () => change('DROP TABLE tags')],
    ['another table of that name', () => change('DROP TABLE items; CREATE TABLE items (x)')],
    ['a missing text table', () => change('DROP TABLE texts')],
    ['a view that says what a table of ours would', () => change(AS_VIEW)],
    ['a table of ours that is made otherwise', () => change(`${AS_VIEW.replace('VIEW', 'TABLE')}; DROP TABLE said`)],
    ['one beside which there is a view', () => change('CREATE VIEW more AS SELECT 1 AS x')],
    [
      'one that has guessed the inode of its file',
      () => change(`UPDATE meta SET value = '${statSync(file).ino}' WHERE name = 'home'`),
    ],
    ['a text table without its parts', () => change('DROP TABLE texts; CREATE TABLE texts (c0)')],
    [
      'a copy of one, as it comes along with a project',
      () => (renameSync(file, `${file}.old`), copyFileSync(`${file}.old`, file)),
    ],
  ])('%s', async (_, damage) => {
    await make();
    damage();
    const index = open();
    const { total: all, hits, notes } = await index.search({ text: 'needle', limit: 1000 });
    expect({ all, notes }).toEqual({ all: 50, notes: [] });
    expect(files.reads.length).toBeGreaterThanOrEqual(50);
    expect(new Set(hits.map(({ id }) => id)).size).toBe(50);
    expect(hits.every(({ snippet }) => snippet.startsWith('needle words of a text'))).toBe(true);
    index.close();
    expect(await total(open())).toBe(50);
  });

  test('damaged while it is open', async () => {
    const index = open();
    expect(await total(index)).toBe(50);
    for (const suffix of ['', '-wal']) writeFileSync(`${file}${suffix}`, readFileSync(`${file}${suffix}`).fill(0xa5));
    files.put('tool/project/new', '\n\nneedle');
    await index.refresh();
    expect(await total(index)).toBe(51);
    expect(await index.refresh()).toMatchObject({ unchanged: 51, notes: [] });
  });

  test('removed while it is open', async () => {
    const index = open();
    expect(await total(index)).toBe(50);
    rmSync(join(file, '..'), { recursive: true });
    expect(await index.refresh()).toMatchObject({ added: 50, notes: [] });
    expect(existsSync(file)).toBe(true);
    expect(await total(index)).toBe(50);
  });
});

describe('an index is kept in memory', () => {
  test('where its folder is missing, and the one above as well', async () => {
    file = join(files.root, 'nowhere', 'cache', 'items.db');
    const index = open();
    expect(await index.refresh()).toMatchObject({
      added: 50,
      notes: [expect.stringMatching(/kept in memory: .*ENOENT/)],
    });
    expect(await index.search({ text: 'needle' })).toMatchObject({ total: 50, notes: [expect.any(String)] });
    expect(await index.refresh()).toMatchObject({ added: 0, unchanged: 50 });
    expect(existsSync(join(files.root, 'nowhere'))).toBe(false);
  });

  test('where its folder is a file', async () => {
    writeFileSync(join(files.root, 'cache'), '');
    const index = open();
    expect(await index.refresh()).toMatchObject({ added: 50, notes: [expect.stringContaining('kept in memory')] });
    expect(await total(index)).toBe(50);
  });

  test('where its file is a folder', async () => {
    mkdirSync(file, { recursive: true });
    const index = open();
    expect(await index.refresh()).toMatchObject({ added: 50, notes: [expect.stringContaining('kept in memory')] });
  });

  test('where a newer release has made the file, which is left as it is', async () => {
    await make();
    const db = new Database(file);
    db.pragma('user_version = 999');
    db.close();
    const before = readFileSync(file);
    const index = open();
    expect(await index.refresh()).toMatchObject({ added: 50, notes: [expect.stringContaining('a newer release')] });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('if that is asked for, and leaves nothing behind', async () => {
    file = ':memory:';
    expect(await open().refresh()).toMatchObject({ added: 50, notes: [] });
    expect(readdirSync(files.root)).toEqual(['items']);
  });
});
