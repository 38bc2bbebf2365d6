import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { idOf } from '../../test/conformance/store-fixture.ts';
import type { Failure } from '../core/errors.ts';
import type { ThreadId } from '../core/ids.ts';
import { createCancelFiles, type CancelFiles } from './cancel-files.ts';

describe('A .cancel file', () => {
  let folder: string;
  let files: CancelFiles;
  let asked: ThreadId[];
  let problems: Failure[];

  const ask = (thread: number): void => writeFileSync(join(folder, idOf(thread), '.cancel'), '');

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'skein-cancel-'));
    asked = [];
    problems = [];
    for (const thread of [1, 2, 3]) mkdirSync(join(folder, idOf(thread)));
    files = createCancelFiles({
      folder,
      asked: (id) => void asked.push(id),
      problem: (failure) => void problems.push(failure),
    });
  });
  afterEach(() => {
    files.close();
    rmSync(folder, { recursive: true });
  });

  test('that is there when its folder is followed is told at once, and no second time (C1)', () => {
    ask(1);
    files.follow(idOf(1));
    files.follow(idOf(1));
    expect(asked).toEqual([idOf(1)]);
  });

  test('that comes later is told once, and other files are not (C1)', async () => {
    files.follow(idOf(1));
    files.follow(idOf(2));
    writeFileSync(join(folder, idOf(1), 'state.json'), '{}');
    ask(2);
    await expect.poll(() => asked).toEqual([idOf(2)]);
    ask(2);
    ask(1);
    await expect.poll(() => asked).toEqual([idOf(2), idOf(1)]);
  });

  test('in a folder that is no longer followed is not told', async () => {
    files.follow(idOf(1));
    files.follow(idOf(2));
    files.leave(idOf(1));
    ask(1);
    ask(2);
    await expect.poll(() => asked).toEqual([idOf(2)]);
  });

  test('can be missed where its folder can not be watched, which is told once', () => {
    files.follow(idOf(8));
    files.follow(idOf(9));
    expect(problems).toEqual([
      expect.objectContaining({ code: 'not_available', message: expect.stringContaining('.cancel') }),
    ]);
    expect(asked).toEqual([]);
  });
});
