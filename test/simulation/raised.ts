import type { ThreadId } from '../../src/core/ids.ts';
import type { LimitOverrides, Limits } from '../../src/core/limits.ts';
import { usdToNano } from '../../src/core/money.ts';
import { limitsNow } from '../../src/host/rest/limits-now.ts';
import type { Connection } from '../../src/store/connection.ts';
import { READER_SQL } from '../../src/store/queries.ts';
import type { Found } from './invariants.ts';

/** Limits that people resume threads with, and were told that these go on with. */
export interface Raised {
  /** Limits that nobody has asked for before, often with money. */
  next(random: () => number): LimitOverrides;
  /** A thread goes on with them. */
  told(id: ThreadId, limits: LimitOverrides): void;
  /** What does not hold of it (E1): a thread has what was told of it last, or what was asked for later and not told. */
  forgotten(db: Connection): Found[];
}

/** More than any directive allows; each one asked for has one more. */
const MOST_TURNS = 20;
/** USD: of the size that a leaf has, a branch, and a root. */
const AMOUNTS = [0.0008, 0.004, 0.02] as const;

/** Makes the memory of what was raised. */
export function createRaised(): Raised {
  /** Which of all that were asked for it was, by nano-USD. */
  const spends = new Map<number, number>();
  const told = new Map<ThreadId, LimitOverrides>();
  let count = 0;
  return {
    next(random) {
      const turns = MOST_TURNS + ++count;
      if (random() < 0.5) return { turns };
      const spend = (AMOUNTS[Math.floor(random() * AMOUNTS.length)] ?? 0) + count / 1_000_000;
      spends.set(usdToNano(spend), count);
      return { turns, spend };
    },
    told: (id, limits) => void told.set(id, { ...told.get(id), ...limits }),
    forgotten: (db) =>
      [...told].flatMap(([id, limits]): Found[] => {
        const thread = bearerOf(db, id);
        const now = thread === undefined ? undefined : limitsNow(sourcesIn(db), thread);
        if (!now || isKept(limits, { now, spends })) return [];
        const message = `was told to go on with ${JSON.stringify(limits)}, and has ${JSON.stringify(now)}`;
        return [{ invariant: 'E1', threadId: id, message }];
      }),
  };
}

type Known = { readonly now: Limits; readonly spends: ReadonlyMap<number, number> };

function isKept({ turns = 0, spend }: LimitOverrides, { now, spends }: Known): boolean {
  if (now.turns < turns) return false;
  return spend === undefined || (spends.get(now.spend) ?? 0) >= (spends.get(usdToNano(spend)) ?? 0);
}

/**
 * The thread, or the last of those that it has handed over to. None for a child that goes on from an ended one: it has no
 * more than its parent, whatever was asked for.
 */
function bearerOf(db: Connection, id: string): number | undefined {
  const row = db.prepare<[string], Row>(
    `SELECT thread, status, (SELECT thread_id FROM threads AS later WHERE later.thread = own.successor) AS next,
        parent_thread IS NOT NULL AND (SELECT status FROM threads AS before WHERE before.thread = own.predecessor)
          <> 'continued' AS isCapped
      FROM threads AS own WHERE thread_id = ?`,
  );
  let found = row.get(id);
  if (found?.isCapped === 1) return undefined;
  while (found?.status === 'continued' && found.next !== null) found = row.get(found.next);
  return found?.thread;
}

type Row = {
  readonly thread: number;
  readonly status: string;
  readonly next: string | null;
  readonly isCapped: number | null;
};

function sourcesIn(db: Connection): Parameters<typeof limitsNow>[0] {
  const text = (sql: string, thread: number): string | undefined =>
    db.prepare<[number], string>(sql).pluck().get(thread);
  const raises = db.prepare<[number, number], string>(READER_SQL.raises).pluck();
  return {
    spec: (thread) => text(READER_SQL.spec, thread),
    checkpoint: (thread) => text(READER_SQL.checkpoint, thread),
    raises: (thread) => raises.all(thread, thread),
  };
}
