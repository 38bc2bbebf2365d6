import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SkeinError } from '../../core/errors.ts';
import { createItemFiles, type ItemFiles } from './fixtures/item-files.ts';
import { createItemIndex, type ItemIndex, type ItemIndexOptions } from './item-index.ts';

let files: ItemFiles;
let time: number;
let index: ItemIndex;

const open = (options: Partial<ItemIndexOptions> = {}): ItemIndex =>
  createItemIndex({ file: ':memory:', ...files.source, now: () => time, ...options });

beforeEach(() => {
  files = createItemFiles();
  // Long after the files are written, so that their stamps are trusted.
  time = Date.now() + 60_000;
  index = open();
});
afterEach(() => {
  index.close();
  files.remove();
});

const found = async (text: string): Promise<string[]> => (await index.search({ text })).hits.map(({ id }) => id);

describe('a refresh', () => {
  test('counts what is new, different, gone and the same', async () => {
    for (const id of ['a', 'b', 'c']) files.put(`tool/project/${id}`, `\n\n${id} one`);
    expect(await index.refresh()).toEqual({ added: 3, changed: 0, removed: 0, unchanged: 0, skipped: [], notes: [] });
    files.put('tool/project/b', '\n\nb three');
    files.put('tool/project/d', '\n\nd one');
    files.remove('tool/project/c');
    expect(await index.refresh()).toMatchObject({ added: 1, changed: 1, removed: 1, unchanged: 1 });
    expect(await found('one')).toEqual(['a', 'd']);
    expect(await found('three')).toEqual(['b']);
  });

  test('reads nothing if nothing has changed', async () => {
    for (const id of ['a', 'b']) files.put(`tool/project/${id}`, '\n\ntext');
    await index.refresh();
    expect(files.reads.splice(0)).toEqual(['a', 'b']);
    expect(await index.refresh()).toMatchObject({ added: 0, changed: 0, unchanged: 2 });
    expect(files.reads).toEqual([]);
  });

  test('does not parse a file again that was only touched', async () => {
    const file = files.put('tool/project/a', '\n\ntext');
    await index.refresh();
    utimesSync(file, 1000, 1000);
    expect(await index.refresh()).toMatchObject({ changed: 0, unchanged: 1 });
    expect(files.reads).toEqual(['a']);
  });

  test('notices new content of the same length and time', async () => {
    const file = files.put('tool/project/a', '\n\nold');
    utimesSync(file, 1000, 1000);
    await index.refresh();
    writeFileSync(file, '\n\nnew');
    utimesSync(file, 1000, 1000);
    expect(await index.refresh()).toMatchObject({ changed: 1 });
    expect(await found('new')).toEqual(['a']);
  });

  test('does not trust the stamp of a file that was changed just before', async () => {
    time = Date.now();
    files.put('tool/project/a', '\n\ntext');
    expect(await index.refresh()).toMatchObject({ added: 1 });
    // Nothing tells a second change within the same tick of the file system's clock, but the content.
    expect(await index.refresh()).toMatchObject({ changed: 0, unchanged: 1 });
    expect(files.reads).toEqual(['a']);
  });

  test('takes an item whose file has another extension now from there', async () => {
    files.put('tool/project/a.py', '\n\nsame');
    await index.refresh();
    files.put('tool/project/a.ts', '\n\nsame');
    files.remove('tool/project/a.py');
    expect(await index.refresh()).toMatchObject({ added: 0, changed: 1, removed: 0 });
    expect(files.reads).toEqual(['a', 'a']);
  });

  test('skips what cannot be read, says why, and does not try again until it changes', async () => {
    files.put('tool/project/good', '\n\ntext');
    const file = files.put('tool/project/bad', '\n\nbroken text');
    const failure = { code: 'invalid_item', message: 'it is broken', where: { file } };
    const skipped = [{ kind: 'tool', id: 'bad', space: 'project', file, extension: '.md', failure }];
    expect(await index.refresh()).toMatchObject({ added: 1, skipped });
    expect(await index.refresh()).toMatchObject({ unchanged: 1, skipped });
    expect(files.reads).toEqual(['bad', 'good']);
    expect(await index.search({ text: 'text' })).toMatchObject({ hits: [{ id: 'good' }], total: 1, skipped });
    writeFileSync(file, '\n\nmended text');
    expect(await index.refresh()).toMatchObject({ changed: 1, skipped: [] });
    expect((await found('text')).toSorted()).toEqual(['bad', 'good']);
  });

  test('takes an item out that cannot be read any more', async () => {
    files.put('tool/project/a', '\n\ntext');
    await index.refresh();
    files.put('tool/project/a', '\n\nbroken text');
    expect(await index.refresh()).toMatchObject({ changed: 0, unchanged: 0, skipped: [{ id: 'a' }] });
    expect(await found('text')).toEqual([]);
    expect(await found('')).toEqual([]);
  });

  test('reports what is no failure of the file as well', async () => {
    const read = (): never => {
      throw new TypeError('a bug');
    };
    index = open({ read });
    files.put('tool/project/a', '\n\ntext');
    expect(await index.refresh()).toMatchObject({ skipped: [{ failure: { code: 'internal', message: 'a bug' } }] });
  });

  test('passes over a second file of the same item', async () => {
    files.put('tool/project/a.py', '\n\npython');
    files.put('tool/project/a.ts', '\n\ntypescript');
    expect(await index.refresh()).toMatchObject({ added: 1, skipped: [{ id: 'a', extension: '.ts' }] });
    expect(await found('python OR typescript')).toEqual(['a']);
    files.remove('tool/project/a.py');
    expect(await index.refresh()).toMatchObject({ changed: 1, skipped: [] });
    expect(await found('typescript')).toEqual(['a']);
  });

  test('survives files that go away or turn into something else while it runs', async () => {
    const entries = ['a', 'b', 'c'].map((id) => ({
      kind: 'tool' as const,
      id,
      space: 'project' as const,
      file: files.put(`tool/project/${id}`, '\n\ntext'),
      extension: '.md',
    }));
    rmSync(entries[0]?.file ?? '');
    index = open({
      list: () => [...entries, { ...entries[1], id: 'folder', file: files.root } as (typeof entries)[0]],
    });
    const report = await index.refresh();
    expect(report).toMatchObject({ added: 2, skipped: [{ id: 'folder', failure: { code: 'internal' } }] });
  });

  test('fails if the items cannot be listed, and works again afterwards', async () => {
    let reachable = false;
    const list: ItemIndexOptions['list'] = (note) => {
      if (!reachable) throw new SkeinError('invalid_argument', 'the space is away');
      return files.source.list(note);
    };
    index = open({ list });
    files.put('tool/project/a', '\n\ntext');
    await expect(index.search({ text: 'text' })).rejects.toThrow('the space is away');
    reachable = true;
    expect(await found('text')).toEqual(['a']);
  });
});

describe('a search', () => {
  test('refreshes if the last refresh began more than a second ago', async () => {
    expect(await found('text')).toEqual([]);
    files.put('tool/project/a', '\n\ntext');
    time += 1000;
    expect(await found('text')).toEqual([]);
    time += 1;
    expect(await found('text')).toEqual(['a']);
  });

  test('refreshes if the clock went backwards', async () => {
    expect(await found('text')).toEqual([]);
    files.put('tool/project/a', '\n\ntext');
    time -= 1;
    expect(await found('text')).toEqual(['a']);
  });

  describe('where a refresh takes long', () => {
    beforeEach(async () => {
      for (let n = 0; n < 20; n++) files.put(`tool/project/${n}`, '\n\nold');
      // Every look at the clock takes a millisecond.
      index = open({ now: () => time++ });
      await index.refresh();
      files.put('tool/project/a', '\n\ntext');
    });

    test('is answered from the index as it is, and the refresh follows', async () => {
      time += 1000;
      expect(await found('text')).toEqual([]);
      // Not before what has been scheduled, and by then it is under way.
      await new Promise((resolve) => setImmediate(resolve));
      files.reads.length = 0;
      await index.refresh();
      expect(files.reads).not.toContain('0');
      expect(await found('text')).toEqual(['a']);
    });

    test('waits for it if the last one began more than five seconds ago', async () => {
      time += 5000;
      expect(await found('text')).toEqual(['a']);
    });

    test('waits for it after it was told of a change', async () => {
      index.outdate();
      expect(await Promise.all([found('text'), found('text')])).toEqual([['a'], ['a']]);
    });
  });

  test('says that the refresh has failed which an earlier one did not wait for', async () => {
    let reachable = true;
    const list: ItemIndexOptions['list'] = (note) => {
      if (!reachable) throw new SkeinError('invalid_argument', 'the space is away');
      return files.source.list(note);
    };
    for (let n = 0; n < 20; n++) files.put(`tool/project/${n}`, '\n\nold');
    index = open({ list, now: () => time++ });
    expect(await found('0')).toEqual(['0']);
    reachable = false;
    time += 1000;
    expect(await found('0')).toEqual(['0']);
    await new Promise((resolve) => setImmediate(resolve));
    await expect(found('0')).rejects.toThrow('the space is away');
  });

  test('refreshes once after it was told of a change', async () => {
    expect(await found('text')).toEqual([]);
    files.put('tool/project/a', '\n\ntext');
    expect(await found('text')).toEqual([]);
    index.outdate();
    expect(await Promise.all([found('text'), found('text')])).toEqual([['a'], ['a']]);
    files.put('tool/project/b', '\n\ntext');
    expect(await found('text')).toEqual(['a']);
  });

  test('shares a refresh with those at the same time', async () => {
    files.put('tool/project/a', '\n\ntext');
    const results = await Promise.all(['text', 'a', 'none'].map((text) => found(text)));
    expect(results).toEqual([['a'], ['a'], []]);
    expect(files.reads).toEqual(['a']);
  });

  test('refuses a malformed text before it looks at any file', async () => {
    index = open({ list: () => expect.unreachable() });
    await expect(index.search({ text: 'a OR' })).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(index.search({ text: 'a', limit: 0 })).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

describe('the work of a refresh', () => {
  /** An index that waits at every step until it is told to go on, and where it waits. */
  const openStepwise = (): (() => boolean) => {
    const waiting: (() => void)[] = [];
    index = open({ schedule: (run) => waiting.push(run), sliceMs: 0 });
    return () => {
      const run = waiting.shift();
      run?.();
      return run !== undefined;
    };
  };
  const finish = async (step: () => boolean): Promise<void> => {
    // A step that has been let go waits again within a few microtasks, or is done.
    for (let idle = 0; idle < 20; idle++) {
      if (step()) idle = 0;
      await Promise.resolve();
    }
  };

  test('is cut into slices', async () => {
    const gaps: number[] = [];
    let last = time;
    const schedule = (run: () => void): void => {
      gaps.push(time - last);
      last = time;
      setImmediate(run);
    };
    for (let n = 0; n < 40; n++) files.put(`tool/project/${n}`, '\n\ntext');
    // Every look at the clock takes a millisecond.
    index = open({ now: () => time++, schedule, sliceMs: 4 });
    expect(await index.refresh()).toMatchObject({ added: 40 });
    expect(gaps.length).toBeGreaterThan(20);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(10);
  });

  test('is done again for who asks while it is under way, once for all of them', async () => {
    for (const id of ['a', 'b']) files.put(`tool/project/${id}`, '\n\none');
    const step = openStepwise();
    const first = index.refresh();
    while (files.reads.length < 2) {
      step();
      await Promise.resolve();
    }
    files.put('tool/project/a', '\n\nanother');
    const later = [index.refresh(), index.refresh()];
    await finish(step);
    expect(await first).toMatchObject({ added: 2 });
    expect(await Promise.all(later)).toMatchObject([{ changed: 1 }, { changed: 1 }]);
    expect(files.reads).toEqual(['a', 'b', 'a']);
  });

  test('is not enough for a search that was told of a change meanwhile', async () => {
    for (const id of ['a', 'b']) files.put(`tool/project/${id}`, '\n\none');
    const step = openStepwise();
    const first = index.search({ text: 'another' });
    while (files.reads.length < 2) {
      step();
      await Promise.resolve();
    }
    files.put('tool/project/a', '\n\nanother');
    index.outdate();
    const later = [index.search({ text: 'another' }), index.search({ text: 'another' })];
    await finish(step);
    expect(await first).toMatchObject({ total: 0 });
    expect(await Promise.all(later)).toMatchObject([{ hits: [{ id: 'a' }] }, { hits: [{ id: 'a' }] }]);
    expect(files.reads).toEqual(['a', 'b', 'a']);
  });

  test('ends when the index is closed', async () => {
    files.put('tool/project/a', '\n\none');
    const step = openStepwise();
    const refresh = index.refresh();
    const search = index.search({ text: 'one' });
    const ended = Promise.allSettled([refresh, search]);
    index.close();
    await finish(step);
    const refusal = { status: 'rejected', reason: { code: 'runtime_closed' } };
    expect(await ended).toMatchObject([refusal, refusal]);
    await expect(index.search({ text: 'one' })).rejects.toMatchObject({ code: 'runtime_closed' });
    expect(files.reads).toEqual([]);
  });
});
