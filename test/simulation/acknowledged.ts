import type { StoreOp, StoreReply, StoreResult } from '../../src/core/store.ts';
import type { StoreRequest } from '../../src/core/store-wire.ts';
import type { Connection } from '../../src/store/connection.ts';
import type { Finding } from '../../src/core/finding.ts';
import { unpackOps } from '../fixtures/unpack-ops.ts';

/** What senders were told is on disk (E1). */
export interface Acknowledged {
  /** Listens on one sender's port. */
  sender(): { readonly posted: (message: unknown) => void; readonly heard: (message: unknown) => void };
  /** What of it is not on disk; what was asked about once is not asked about again. */
  missing(db: Connection): Finding[];
}

type Told = { readonly thread: number; readonly lines: string };

/** Makes a list of what is acknowledged. */
export function createAcknowledged(): Acknowledged {
  let told: Told[] = [];
  return {
    sender() {
      const open = new Map<number, readonly StoreOp[]>();
      return {
        // Only requests are posted to the store, and only replies come back.
        posted(message) {
          const { batch, ops } = message as StoreRequest;
          open.set(batch, unpackOps(ops));
        },
        heard(message) {
          const { batch, results, failure } = message as StoreReply;
          const exceptions = new Map(results);
          const done = (open.get(batch) ?? []).filter((op, index) => isDone(op, exceptions.get(index)));
          open.delete(batch);
          if (!failure) told.push(...done.flatMap(linesOf));
        },
      };
    },
    missing(db) {
      const asked = told;
      told = [];
      return findMissing(db, asked);
    },
  };
}

/** A step is done though its reservation be refused. */
function isDone({ type }: StoreOp, exception: Exclude<StoreResult, true> | undefined): boolean {
  return exception === undefined || (type === 'step' && exception.type === 'refused');
}

function linesOf(op: StoreOp): Told[] {
  if (op.type === 'continue') return linesOf(op.end);
  if (op.type === 'admit') return [{ thread: op.thread, lines: '' }];
  return op.type === 'step' && op.lines !== '' ? [{ thread: op.thread, lines: op.lines }] : [];
}

function findMissing(db: Connection, asked: readonly Told[]): Finding[] {
  const chunks = db
    .prepare<[number], string>('SELECT lines FROM events WHERE thread = ? ORDER BY first_sequence')
    .pluck();
  const row = db.prepare<[number], number>('SELECT 1 FROM threads WHERE thread = ?').pluck();
  const logs = new Map<number, string>();
  const logOf = (thread: number): string => {
    const log = logs.get(thread) ?? chunks.all(thread).join('');
    logs.set(thread, log);
    return log;
  };
  return asked
    .filter(({ thread, lines }) => (lines === '' ? row.get(thread) === undefined : !logOf(thread).includes(lines)))
    .map(({ thread, lines }) => ({
      invariant: 'E1',
      message: `thread ${thread} was acknowledged, and is not on disk: ${lines.trim() || 'its row'}`,
    }));
}
