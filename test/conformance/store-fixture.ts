import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { parse } from 'yaml';
import { parseLedger } from '../../src/config/budget.ts';
import { parseTable } from '../../src/config/tables.ts';
import { encodeEvent } from '../../src/core/events.ts';
import type { ThreadId, ThreadNo } from '../../src/core/ids.ts';
import type { AdmitOp, StepOp, StoreReader } from '../../src/core/store.ts';
import { openStore, type OpenStoreOptions } from '../../src/store/open.ts';
import { openReader } from '../../src/store/reader.ts';
import type { StoreTable, StoreTables } from '../../src/store/schema.ts';

/** The tables as the shipped schema files declare them. */
export function shippedTables(): StoreTables {
  return {
    ledger: parseLedger(readSchema('budget_ledger_schema.yaml'), 'budget_ledger_schema.yaml').table,
    registry: readTable('thread_registry_schema.yaml'),
    events: readTable('event_log_schema.yaml'),
    checkpoints: readTable('checkpoint_schema.yaml'),
    approvals: readTable('approvals_schema.yaml'),
    entries: readTable('budget_entries_schema.yaml'),
    upkeep: readTable('upkeep_schema.yaml'),
    home: readTable('home_schema.yaml'),
  };
}

function readTable(name: string): StoreTable {
  return parseTable(readSchema(name), name);
}

function readSchema(name: string): Record<string, unknown> {
  const file = new URL(`../../config/${name}`, import.meta.url);
  return parse(readFileSync(file, 'utf8'));
}

/** A folder for one test; `dispose` removes it. */
export function scratchFolder(): { readonly folder: string; readonly path: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'skein-store-'));
  return {
    folder,
    path: join(folder, 'threads', 'threads.db'),
    [Symbol.dispose]: () => {
      if (existsSync(folder)) rmSync(folder, { recursive: true });
    },
  };
}

/** The id a test thread of this number has. */
export function idOf(thread: ThreadNo): ThreadId {
  return `thread-${thread.toString(16).padStart(32, '0')}`;
}

/** An admission with a ceiling of 1,000 nano-USD, of a root unless `parent` says otherwise. */
export function admit(thread: ThreadNo, overrides: Partial<AdmitOp> = {}): AdmitOp {
  return {
    type: 'admit',
    thread,
    threadId: idOf(thread),
    parent: undefined,
    root: overrides.parent === undefined ? thread : 1,
    directive: 'demo/task',
    model: 'scripted',
    ceiling: 1_000,
    spec: '{}',
    at: 1_000,
    ...overrides,
  };
}

/** A step of one warning event with this sequence number; 0 = no event. */
export function step(thread: ThreadNo, sequence: number, overrides: Partial<StepOp> = {}): StepOp {
  return {
    type: 'step',
    thread,
    at: 2_000,
    lines: sequence === 0 ? '' : lines(sequence, sequence),
    firstSequence: sequence,
    lastSequence: sequence,
    ...overrides,
  };
}

/** Event lines with the sequence numbers `first` to `last`. */
export function lines(first: number, last: number, message = 'text'): string {
  const payload = { code: 'demo', message };
  return Array.from({ length: last - first + 1 }, (_, index) =>
    encodeEvent({ sequence: first + index, event_type: 'warning', time: 1, payload }),
  ).join('');
}

/** The ending of a thread that completed. */
export const END = { to: 'completed', ending: '{"status":"completed"}' } as const;

/** An open store in a folder of its own, and a reader of it. */
export type ScratchStore = Disposable & {
  readonly path: string;
  readonly store: ReturnType<typeof openStore>;
  readonly reader: StoreReader;
  /** Closes the store and opens it again. */
  reopen(): void;
  /** Asks the database itself. */
  query(sql: string, ...values: readonly unknown[]): readonly unknown[];
};

/** Opens one, with the given settings. */
export function scratchStore(options: Partial<Omit<OpenStoreOptions, 'path' | 'tables'>> = {}): ScratchStore {
  const scratch = scratchFolder();
  const open = (): ScratchStore['store'] =>
    openStore({ path: scratch.path, tables: shippedTables(), now: () => 9_000, ...options });
  let store = open();
  const reader = openReader(scratch.path);
  return {
    path: scratch.path,
    get store() {
      return store;
    },
    reader,
    reopen() {
      store.close();
      store = open();
    },
    query(sql, ...values) {
      const db = new Database(scratch.path, { readonly: true });
      try {
        return db.prepare(sql).all(...values);
      } finally {
        db.close();
      }
    },
    [Symbol.dispose]() {
      reader.close();
      store.close();
      scratch[Symbol.dispose]();
    },
  };
}
