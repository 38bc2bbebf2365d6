import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createItemFiles, type ItemFiles } from './fixtures/item-files.ts';
import { createItemIndex, type ItemIndex, type ItemIndexOptions } from './item-index.ts';

let files: ItemFiles;
let file: string;
const opened: ItemIndex[] = [];
const now = (): number => Date.now() + 60_000;

const open = (options: Partial<ItemIndexOptions> = {}): ItemIndex => {
  const index = createItemIndex({ file, ...files.source, now, ...options });
  opened.push(index);
  return index;
};

beforeEach(() => {
  files = createItemFiles();
  file = join(files.root, 'cache', 'items.db');
});
afterEach(() => {
  for (const index of opened.splice(0)) index.close();
  files.remove();
});

const ids = async (index: ItemIndex, text = 'needle'): Promise<string[]> => {
  await index.refresh();
  return (await index.search({ text, limit: 1000 })).hits.map(({ id }) => id).toSorted();
};

describe('two connections to one index', () => {
  test('see what the other one has written, and read no item twice', async () => {
    const [one, other] = [open(), open()];
    files.put('tool/project/a', '\n\nneedle');
    expect(await ids(one)).toEqual(['a']);
    expect(await ids(other)).toEqual(['a']);
    files.put('tool/project/b', '\n\nneedle');
    files.remove('tool/project/a');
    expect(await ids(other)).toEqual(['b']);
    expect(await ids(one)).toEqual(['b']);
    expect(files.reads).toEqual(['a', 'b']);
  });

  test('do not put back an item that is removed after it was read', async () => {
    files.put('tool/project/a', '\n\nneedle');
    const index = open({
      read: (entry) => {
        const document = files.source.read(entry);
        files.remove('tool/project/a');
        return document;
      },
    });
    expect(await index.refresh()).toMatchObject({ added: 0, removed: 0, unchanged: 0, skipped: [] });
    expect(await index.search({ text: 'needle' })).toMatchObject({ total: 0 });
  });

  test('leave out an item that is gone before it could be read', async () => {
    files.put('tool/project/a', '\n\nneedle');
    const index = open({
      read: (entry) => {
        files.remove('tool/project/a');
        return files.source.read(entry);
      },
    });
    expect(await index.refresh()).toMatchObject({ added: 0, skipped: [] });
    expect(await index.search({ text: '' })).toMatchObject({ total: 0, skipped: [] });
  });

  test('take from two readings of a file the newer one', async () => {
    files.put('tool/project/a', '\n\nneedle old');
    // So that there is something to do between reading and writing.
    files.put('tool/project/z', '');
    const other = open();
    let isRead = false;
    const index = open({
      read: (entry) => {
        const document = files.source.read(entry);
        if (entry.id === 'a') files.put('tool/project/a', '\n\nneedle of the newer');
        isRead = true;
        return document;
      },
      schedule: (run) => void (isRead ? other.refresh().then(run) : setImmediate(run)),
      sliceMs: 0,
    });
    expect(await index.refresh()).toMatchObject({ added: 0, changed: 0, unchanged: 2 });
    expect(await index.search({ text: 'old' })).toMatchObject({ total: 0 });
    expect(await index.search({ text: 'newer' })).toMatchObject({ total: 1 });
  });

  test('do not remove an item that another one has just added again', async () => {
    files.put('tool/project/a', '\n\nneedle');
    files.put('tool/project/z', '\n\nneedle');
    const other = open();
    let isListed = false;
    const index = open({
      list: function* (note) {
        for (const entry of files.source.list(note)) {
          isListed = true;
          yield entry;
        }
      },
      schedule: (run) => {
        if (!isListed) return void setImmediate(run);
        isListed = false;
        files.put('tool/project/a', '\n\nneedle again');
        void other.refresh().then(run);
      },
      sliceMs: 0,
    });
    expect(await ids(index)).toEqual(['a', 'z']);
    files.remove('tool/project/a');
    await index.refresh();
    expect(await other.search({ text: 'again' })).toMatchObject({ total: 1 });
  });

  test('fill an empty index at the same time', async () => {
    for (let n = 0; n < 200; n++) files.put(`tool/project/${n}`, '\n\nneedle');
    const indexes = [open({ sliceMs: 0 }), open({ sliceMs: 0 }), open({ sliceMs: 0 })];
    const found = await Promise.all(indexes.map((index) => ids(index)));
    for (const list of found) expect(list).toHaveLength(200);
    const reports = await Promise.all(indexes.map((index) => index.refresh()));
    for (const report of reports) expect(report).toMatchObject({ added: 0, unchanged: 200, notes: [] });
  });

  test('make a damaged file anew once, and share the new one', async () => {
    files.put('tool/project/a', '\n\nneedle');
    await open().refresh();
    opened.pop()?.close();
    writeFileSync(file, 'rubbish');
    const indexes = [open({ sliceMs: 0 }), open({ sliceMs: 0 }), open({ sliceMs: 0 })];
    expect(await Promise.all(indexes.map((index) => ids(index)))).toEqual([['a'], ['a'], ['a']]);
    files.reads.length = 0;
    files.put('tool/project/b', '\n\nneedle');
    for (const index of indexes) expect(await ids(index)).toEqual(['a', 'b']);
    expect(files.reads).toEqual(['b']);
  });

  test('with different extractors do not make it anew in turn', async () => {
    files.put('tool/project/a', '\n\nneedle');
    const older = open();
    expect(await ids(older)).toEqual(['a']);
    const newer = open({ revision: () => '2' });
    expect(await ids(newer)).toEqual(['a']);
    expect(await older.refresh()).toMatchObject({ notes: [expect.stringContaining('set it up differently')] });
    files.reads.length = 0;
    expect([await ids(older), await ids(newer), await ids(older)]).toEqual([['a'], ['a'], ['a']]);
    expect(files.reads).toEqual([]);
  });
});

describe('while another connection holds the lock', () => {
  test('a search goes on with what there is, and says so', async () => {
    files.put('tool/project/a', '\n\nneedle');
    const index = open();
    await index.refresh();
    const other = new Database(file);
    other.exec('BEGIN IMMEDIATE');
    files.put('tool/project/b', '\n\nneedle');
    expect(await index.refresh()).toMatchObject({
      added: 0,
      unchanged: 1,
      notes: [expect.stringContaining('next refresh: 1')],
    });
    expect(await index.search({ text: 'needle' })).toMatchObject({ total: 1, notes: [expect.any(String)] });
    other.close();
    expect(await index.refresh()).toMatchObject({ added: 1, notes: [] });
  });

  test('a refresh gives others their turn until the lock is free', async () => {
    const index = open({ schedule: (run) => (turns++, turns === 3 && other.close(), setImmediate(run)), sliceMs: 0 });
    let turns = 0;
    await index.refresh();
    const other = new Database(file);
    turns = 0;
    other.exec('BEGIN IMMEDIATE');
    files.put('tool/project/a', '\n\nneedle');
    expect(await index.refresh()).toMatchObject({ added: 1, notes: [] });
    expect(turns).toBeGreaterThan(3);
  });
});

describe('an index that is closed', () => {
  test('while it waits for the lock to be made, stays closed', async () => {
    mkdirSync(join(file, '..'));
    const other = new Database(file);
    other.exec('BEGIN EXCLUSIVE');
    const index = open({ schedule: (run) => (index.close(), setImmediate(run)), sliceMs: 0 });
    await expect(index.search({ text: 'needle' })).rejects.toMatchObject({ code: 'runtime_closed' });
    other.close();
    expect(readdirSync(join(file, '..'))).toEqual(['items.db']);
  });
});

describe('several processes', () => {
  const run = promisify(execFile);
  const program = new URL('fixtures/index-process.ts', import.meta.url).pathname;
  const start = (
    name: string,
    rounds: number,
  ): ReturnType<typeof run> & { child: { kill(signal: 'SIGKILL'): boolean } } =>
    run(process.execPath, [program, files.root, name, String(rounds)], { timeout: 60_000 });

  test('write and search one index at the same time', async () => {
    for (let n = 0; n < 100; n++) files.put(`knowledge/project/${n}`, '\n\nneedle');
    const results = await Promise.all(['one', 'two', 'three'].map((name) => start(name, 20)));
    // Each has found its own item in every round, and removed every other one.
    expect(results.map(({ stdout }) => String(stdout).trim())).toEqual([
      'found 20, left 10',
      'found 20, left 10',
      'found 20, left 10',
    ]);
    const index = open();
    const expected = ['one', 'two', 'three'].flatMap((name) =>
      Array.from({ length: 10 }, (_, n) => `${name}-${n * 2}`),
    );
    expect(await ids(index, 'own')).toEqual(expected.toSorted());
    expect(await ids(index)).toHaveLength(130);
  });

  test('one of which is killed leave a sound index', async () => {
    for (let n = 0; n < 300; n++) files.put(`knowledge/project/${n}`, `\n\nneedle ${'word '.repeat(300)}`);
    const killed = start('victim', 1000);
    const ended = Promise.allSettled([killed]);
    const index = open();
    while ((await ids(index)).length < 310) await new Promise(setImmediate);
    killed.child.kill('SIGKILL');
    expect(await ended).toMatchObject([{ status: 'rejected', reason: { signal: 'SIGKILL' } }]);
    await index.refresh();
    expect(await index.refresh()).toMatchObject({ added: 0, changed: 0, removed: 0, notes: [] });
    index.close();
    const db = new Database(file);
    db.exec(`INSERT INTO texts (texts) VALUES ('integrity-check')`);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    db.close();
  });
});
