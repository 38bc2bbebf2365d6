import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { admit, END, idOf, scratchStore, step } from '../../test/conformance/store-fixture.ts';
import { archivePath } from './archive-shelf.ts';
import { takeCensus } from './census.ts';

test('A tree is counted once, with what its hooks have reported, also while it is in the database and in the archive', () => {
  const cleanup = { archiveAfterDays: 30, vacuumIntervalDays: 0 };
  using it = scratchStore({ cleanup, now: () => 31 * 86_400_000 });
  const cost = { turns: 1, inputTokens: 3, outputTokens: 4, spend: 10 };
  const settle = { reserved: 0, actual: 10 };
  const ends = [2, 1].map((thread) => step(thread, 1, { at: 0, status: END, cost, settle }));
  const reported = { operation: 'report_actual', asker: 1, amount: 5, key: undefined, reservation: undefined } as const;
  it.store.commit([
    admit(1, { at: 0 }),
    admit(2, { parent: 1, ceiling: 100, at: 0 }),
    { type: 'budget', threadId: idOf(2), ...reported, at: 0 },
    ...ends,
  ]);
  const seen = new Set<string>();
  do {
    const { threads, archived, spend } = takeCensus(it.path);
    seen.add(`${threads.completed ?? 0} and ${archived}, ${spend}`);
  } while (it.store.tidy?.());
  expect([...seen]).toEqual(['2 and 0, 25', '0 and 2, 25']);
});

test('An archive that is none is named, not the database', () => {
  using it = scratchStore();
  it.store.commit([admit(1)]);
  const file = archivePath(it.path);
  writeFileSync(file, 'no database at all, '.repeat(100));
  expect(() => takeCensus(it.path)).toThrow(expect.objectContaining({ code: 'store_corrupt', where: { file } }));
});
