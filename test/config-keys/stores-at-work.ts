import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { admit, END, scratchStore, step } from '../conformance/store-fixture.ts';
import type { State } from './row.ts';

const DAY_MS = 86_400_000;

/** What a store still has of a thread that ended on the first day, and when it gave space back last, in quiet moments later. */
export function tidied({ config }: State): unknown {
  let day = 0;
  using one = scratchStore({ now: () => day * DAY_MS, cleanup: config.resilience.cleanup });
  one.store.commit([admit(1, { at: 0 }), step(1, 1, { status: END, at: 0 })]);
  return [0, 7.5, 30.5].map((quiet) => {
    day = quiet;
    for (let more = true; more;) more = one.store.tidy?.() ?? false;
    return [one.query('SELECT thread FROM threads'), one.query("SELECT done_at FROM upkeep WHERE work = 'vacuum'")];
  });
}

/** What is beside the database when a thread has taken a checkpoint. */
export function filesBeside({ config }: State): unknown {
  using one = scratchStore({ persistence: config.resilience.checkpoint.persistence });
  one.store.commit([admit(1), step(1, 1, { checkpoint: { turn: 1, state: '{}' } })]);
  one.reopen();
  return readdirSync(dirname(one.path)).toSorted();
}
