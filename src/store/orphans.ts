import { fromFailure } from '../core/errors.ts';
import { encodeEvent } from '../core/events.ts';
import type { ThreadNo } from '../core/ids.ts';
import { INTERRUPTED } from '../core/interruption.ts';
import { failureIn, type StepOp, type Store } from '../core/store.ts';
import type { Connection } from './connection.ts';
import { condition, type StoreTables } from './schema.ts';

/** What {@link suspendOrphans} needs: an open store and its connection. */
export type Orphanage = {
  readonly db: Connection;
  readonly store: Store;
  readonly tables: StoreTables;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

type Orphan = { readonly thread: ThreadNo; readonly last_sequence: number | null };

/** Threads suspended in one transaction. */
const CHUNK = 1_000;

/**
 * Suspends, with reason `shutdown`, what a runtime that is gone left as created or running, and returns how many those
 * were. Whether they go on is the host's to say. What their model calls in flight had reserved stays: a thread that goes on
 * makes its call again and takes it over. The cost goes with the number of open threads, not of all threads.
 */
export function suspendOrphans({ db, store, tables, now }: Orphanage): number {
  const next = db.prepare<[number], Orphan>(orphanQuery(tables));
  let count = 0;
  for (let orphans = next.all(CHUNK); orphans.length > 0; orphans = next.all(CHUNK)) {
    const at = now();
    const results = store.commit(orphans.map((orphan) => suspension(orphan, at)));
    for (const result of results) {
      const failure = failureIn(result);
      if (failure) throw fromFailure(failure);
    }
    count += orphans.length;
  }
  return count;
}

/**
 * The SQL that finds the next orphans, with their last event. It repeats the partial index's own
 * condition, without which SQLite would not use that index.
 */
export function orphanQuery(tables: StoreTables): string {
  const partial = tables.registry.indexes.find(({ where }) => where?.includes('suspend_reason'))?.where;
  const indexed = partial === undefined ? '' : `(${condition(partial, 'threads.indexes')}) AND `;
  return `
    SELECT thread,
      (SELECT last_sequence FROM events WHERE events.thread = open.thread ORDER BY first_sequence DESC LIMIT 1)
        AS last_sequence
    FROM (SELECT thread FROM threads WHERE ${indexed}status IN ('created', 'running') LIMIT ?) AS open`;
}

function suspension({ thread, last_sequence }: Orphan, at: number): StepOp {
  const sequence = (last_sequence ?? 0) + 1;
  const payload = { suspend_reason: 'shutdown', message: INTERRUPTED.runtime } as const;
  return {
    type: 'step',
    thread,
    at,
    lines: encodeEvent({ sequence, event_type: 'thread_suspended', time: at, payload }),
    firstSequence: sequence,
    lastSequence: sequence,
    status: { to: 'suspended', reason: 'shutdown' },
  };
}
