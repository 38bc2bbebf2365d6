import type { Database } from 'better-sqlite3';
import { decodeEvents, type StoredEvent } from '../src/core/events.ts';
import { PRICE } from './workload.ts';

/** What a database holds about a set of threads. */
export type ReadBack = {
  readonly threads: number;
  readonly events: number;
  readonly eventBytes: number;
  readonly ledgerRows: number;
  /** `checkpoint_saved` events. */
  readonly checkpoints: number;
  /** Threads by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Sum over threads of what ledger, registry and `usage` events differ by, in nano-USD. */
  readonly moneyDifference: number;
  readonly spendByThread: ReadonlyMap<string, number>;
  readonly problems: readonly string[];
};

type ThreadRow = {
  readonly thread: number;
  readonly thread_id: string;
  readonly status: string;
  readonly spend: number;
};
type LedgerRow = {
  readonly actual_spend: number;
  readonly committed: number;
  readonly max_spend: number;
  /** What all children have spent. */
  readonly below: number;
};
type ChunkRow = { readonly first_sequence: number; readonly last_sequence: number; readonly lines: string };

const TERMINAL = new Set(['thread_completed', 'thread_error', 'thread_cancelled', 'thread_continued']);
const MAX_PROBLEMS = 10;

/** What is wrong with a thread by its events, beyond what must hold for every thread. */
export type CheckEvents = (events: readonly StoredEvent[]) => readonly string[];

/** Reads a database that nobody has open, and checks it: gapless events, one ending each, money that agrees. */
export async function readBack(
  path: string,
  ids: ReadonlySet<string> | 'all',
  check: CheckEvents = () => [],
): Promise<ReadBack> {
  const db = await openReadOnly(path);
  try {
    const reader = {
      threads: db.prepare('SELECT thread, thread_id, status, spend FROM threads').all() as ThreadRow[],
      chunks: db.prepare(
        'SELECT first_sequence, last_sequence, lines FROM events WHERE thread = ? ORDER BY first_sequence',
      ),
      ledger: db.prepare(
        `SELECT actual_spend, committed, max_spend,
          (SELECT coalesce(sum(actual_spend), 0) FROM budget_ledger AS child WHERE child.parent_thread = node.thread) AS below
        FROM budget_ledger AS node WHERE thread = ?`,
      ),
    };
    const total = emptyTotal();
    for (const row of reader.threads) {
      if (ids !== 'all' && !ids.has(row.thread_id)) continue;
      addThread(total, row, {
        chunks: reader.chunks.all(row.thread) as ChunkRow[],
        ledger: reader.ledger.all(row.thread) as LedgerRow[],
        check,
      });
    }
    return total;
  } finally {
    db.close();
  }
}

/** What each of the threads has left behind, on the average. */
export function rowsPerThread({
  threads,
  events,
  eventBytes,
  ledgerRows,
  checkpoints,
}: ReadBack): Record<string, number> {
  return {
    events_per_thread: events / threads,
    event_bytes_per_thread: eventBytes / threads,
    ledger_rows_per_thread: ledgerRows / threads,
    checkpoints_per_thread: checkpoints / threads,
  };
}

/** The events of one thread, in order. */
export async function readEvents(path: string, id: string): Promise<StoredEvent[]> {
  const db = await openReadOnly(path);
  try {
    const query = 'SELECT lines FROM events JOIN threads USING (thread) WHERE thread_id = ? ORDER BY first_sequence';
    return (db.prepare(query).pluck().all(id) as string[]).flatMap(decodeEvents);
  } finally {
    db.close();
  }
}

/** How many events there are, by the numbers that they are stored under. */
export async function countEvents(path: string): Promise<number> {
  const db = await openReadOnly(path);
  try {
    return db.prepare('SELECT sum(last_sequence - first_sequence + 1) FROM events').pluck().get() as number;
  } finally {
    db.close();
  }
}

/** Every thread's status and its events as `sequence type`, by thread id. */
export async function readEventTypes(
  path: string,
): Promise<Map<string, { readonly status: string; readonly events: ReadonlySet<string> }>> {
  const db = await openReadOnly(path);
  try {
    const chunks = db.prepare('SELECT lines FROM events WHERE thread = ?').pluck();
    const rows = db.prepare('SELECT thread, thread_id, status FROM threads').all() as ThreadRow[];
    return new Map(
      rows.map(({ thread, thread_id, status }) => {
        const events = (chunks.all(thread) as string[]).flatMap(decodeEvents);
        return [thread_id, { status, events: new Set(events.map((event) => `${event.sequence} ${event.event_type}`)) }];
      }),
    );
  } finally {
    db.close();
  }
}

/** SQLite's addon crashes on older Nodes, so it is loaded only where it works. */
async function openReadOnly(path: string): Promise<Database> {
  if (Number(process.versions.node.split('.')[0]) < 22) throw new Error('Reading a database back needs Node 22');
  const { default: open } = await import('better-sqlite3');
  return new open(path, { readonly: true });
}

type Total = { -readonly [Key in keyof ReadBack]: ReadBack[Key] } & {
  readonly problems: string[];
  readonly statuses: Record<string, number>;
  readonly spendByThread: Map<string, number>;
};
type ThreadParts = {
  readonly chunks: readonly ChunkRow[];
  readonly ledger: readonly LedgerRow[];
  readonly check: CheckEvents;
};

function emptyTotal(): Total {
  return {
    threads: 0,
    events: 0,
    eventBytes: 0,
    ledgerRows: 0,
    checkpoints: 0,
    statuses: {},
    moneyDifference: 0,
    spendByThread: new Map(),
    problems: [],
  };
}

function addThread(total: Total, row: ThreadRow, { chunks, ledger, check }: ThreadParts): void {
  const events = chunks.flatMap(({ lines }) => decodeEvents(lines));
  const [node] = ledger;
  total.threads++;
  total.events += events.length;
  total.eventBytes += chunks.reduce((sum, { lines }) => sum + Buffer.byteLength(lines), 0);
  total.ledgerRows += ledger.length;
  total.checkpoints += events.filter(({ event_type }) => event_type === 'checkpoint_saved').length;
  total.statuses[row.status] = (total.statuses[row.status] ?? 0) + 1;
  total.spendByThread.set(row.thread_id, row.spend);
  const { usages, byTokens } = spendIn(events);
  const actual = node ? node.actual_spend - node.below : 0;
  const difference = Math.abs(usages - byTokens) + Math.abs(actual - usages) + Math.abs(row.spend - usages);
  total.moneyDifference += difference;
  const money =
    difference === 0 ? [] : [`its tokens, usage events, ledger and registry differ by ${difference} nano-USD`];
  for (const problem of [...problemsOf(row, events, node), ...money, ...check(events)]) {
    if (total.problems.length < MAX_PROBLEMS) total.problems.push(`${row.thread_id}: ${problem}`);
  }
}

/** Nano-USD by the events' own `spend`, and by their token counts. */
function spendIn(events: readonly StoredEvent[]): { usages: number; byTokens: number } {
  let usages = 0;
  let byTokens = 0;
  for (const { payload } of events) {
    if (!('input_tokens' in payload) || !('spend' in payload)) continue;
    usages += Math.round(payload.spend * 1e9);
    byTokens += payload.input_tokens * PRICE.input + payload.output_tokens * PRICE.output;
  }
  return { usages, byTokens };
}

function problemsOf({ status }: ThreadRow, events: readonly StoredEvent[], node: LedgerRow | undefined): string[] {
  const problems: string[] = [];
  const gap = events.findIndex(({ sequence }, index) => sequence !== index + 1);
  if (gap >= 0) problems.push(`event ${gap + 1} has sequence ${events[gap]?.sequence}`);
  const endings = events.filter(({ event_type }) => TERMINAL.has(event_type)).length;
  const isOver = status !== 'created' && status !== 'running' && status !== 'suspended';
  if (endings !== (isOver ? 1 : 0)) problems.push(`${endings} terminal events, though it is ${status}`);
  if (isOver && !TERMINAL.has(events.at(-1)?.event_type ?? '')) problems.push('something follows its ending');
  if (!node) problems.push('no ledger row');
  else if (isOver && node.committed !== node.actual_spend)
    problems.push(`committed ${node.committed}, spent ${node.actual_spend}`);
  else if (node.committed < node.actual_spend || node.committed > node.max_spend)
    problems.push(`committed ${node.committed}, spent ${node.actual_spend}, at most ${node.max_spend}`);
  return problems;
}
