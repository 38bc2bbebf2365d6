import type { Connection } from './index-schema.ts';
import { isBusy } from './sqlite-faults.ts';

/** Pages written by one step. */
const STEP_PAGES = 16;

/** A bound that is never reached: what is left is merged by later refreshes. */
const MAX_STEPS = 10_000;

/** Merges the segments that commits leave behind, in steps of about a millisecond, until there is nothing to merge. */
export function* mergeSegments(db: Connection): Generator<void, void> {
  const merge = db.prepare<[number]>("INSERT INTO texts (texts, rank) VALUES ('merge', ?)");
  const changes = db.prepare<[], number>('SELECT total_changes()').pluck();
  for (let left = MAX_STEPS; left > 0; left--) {
    const before = changes.get() ?? 0;
    try {
      merge.run(STEP_PAGES);
    } catch (error) {
      if (isBusy(error)) return;
      throw error;
    }
    // So says FTS5's manual: a step that changes less than two rows found nothing to do.
    if ((changes.get() ?? 0) - before < 2) return;
    yield;
  }
}
