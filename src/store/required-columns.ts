import { SkeinError, type SkeinErrorCode } from '../core/errors.ts';
import { own } from '../core/record.ts';
import { TABLE_KEYS, type StoreColumn, type StoreTables } from './schema.ts';

/** A column the store's statements use: its type, with `?` when the store writes NULL to it. */
type Needed = Readonly<Record<string, 'INTEGER' | 'INTEGER?' | 'TEXT' | 'TEXT?'>>;

/** Tables and columns that the store's SQL names. A schema file may add columns and indexes, not rename these. */
const NEEDED: Readonly<Record<keyof StoreTables, { readonly table: string; readonly columns: Needed }>> = {
  ledger: {
    table: 'budget_ledger',
    columns: {
      thread: 'INTEGER',
      parent_thread: 'INTEGER?',
      reserved_spend: 'INTEGER',
      actual_spend: 'INTEGER',
      committed: 'INTEGER',
      max_spend: 'INTEGER',
      status: 'TEXT',
      created_at: 'INTEGER',
      updated_at: 'INTEGER',
      extra_reserved: 'INTEGER',
    },
  },
  registry: {
    table: 'threads',
    columns: {
      thread: 'INTEGER',
      thread_id: 'TEXT',
      parent_thread: 'INTEGER?',
      root_thread: 'INTEGER',
      directive: 'TEXT',
      model: 'TEXT',
      status: 'TEXT',
      suspend_reason: 'TEXT?',
      spec: 'TEXT',
      ending: 'TEXT?',
      turns: 'INTEGER',
      input_tokens: 'INTEGER',
      output_tokens: 'INTEGER',
      spend: 'INTEGER',
      created_at: 'INTEGER',
      updated_at: 'INTEGER',
      ended_at: 'INTEGER?',
      predecessor: 'INTEGER?',
      successor: 'INTEGER?',
    },
  },
  events: {
    table: 'events',
    columns: { thread: 'INTEGER', first_sequence: 'INTEGER', last_sequence: 'INTEGER', lines: 'TEXT' },
  },
  checkpoints: {
    table: 'checkpoints',
    columns: { thread: 'INTEGER', sequence: 'INTEGER', turn: 'INTEGER', state: 'TEXT', updated_at: 'INTEGER' },
  },
  approvals: {
    table: 'approvals',
    columns: {
      approval_id: 'TEXT',
      thread: 'INTEGER',
      reason: 'TEXT',
      limit_code: 'TEXT?',
      current_value: 'INTEGER?',
      current_max: 'INTEGER?',
      suggested: 'INTEGER?',
      asked_by: 'TEXT',
      message: 'TEXT',
      status: 'TEXT',
      requested_at: 'INTEGER',
      decided_at: 'INTEGER?',
      decided_by: 'TEXT?',
      granted: 'TEXT?',
    },
  },
  entries: {
    table: 'budget_entries',
    columns: {
      entry: 'INTEGER',
      thread: 'INTEGER',
      entry_key: 'TEXT?',
      operation: 'TEXT',
      amount: 'INTEGER',
      granted: 'INTEGER',
      open_amount: 'INTEGER',
      created_at: 'INTEGER',
    },
  },
  upkeep: { table: 'upkeep', columns: { work: 'TEXT', done_at: 'INTEGER' } },
  home: { table: 'home', columns: { identity: 'TEXT', last_thread: 'INTEGER', written_at: 'INTEGER' } },
};

/** Columns whose uniqueness the statements rely on. */
const UNIQUE: ReadonlySet<string> = new Set([
  'budget_ledger.thread',
  'threads.thread',
  'threads.thread_id',
  'checkpoints.thread',
  'approvals.approval_id',
  'budget_entries.entry',
  'upkeep.work',
]);

/** Refuses (`invalid_config`) schema files on which the store's statements would not run. */
export function requireColumns(tables: StoreTables): void {
  for (const key of TABLE_KEYS) {
    const { table, columns } = NEEDED[key];
    if (tables[key].name !== table) throw missing(`table.name ${tables[key].name}`, table, 'invalid_config');
    for (const [name, type] of Object.entries(columns)) {
      const declared = tables[key].columns.find((column) => column.name === name);
      requireColumn(`${table}.${name}`, type, declared);
    }
    const stray = tables[key].columns.find((column) => !Object.hasOwn(columns, column.name) && !isOptional(column));
    if (stray) throw missing(`${table}.${stray.name}`, 'nullable or with a default', 'invalid_config');
  }
}

function requireColumn(path: string, needed: string, declared: StoreColumn | undefined): void {
  const nullable = needed.endsWith('?');
  const type = typeOf(needed);
  if (declared?.type !== type) throw missing(path, `declared as ${type}`, 'invalid_config');
  if (nullable && !declared.nullable) throw missing(path, 'nullable', 'invalid_config');
  if (UNIQUE.has(path) && !declared.primaryKey && !declared.unique) throw missing(path, 'unique', 'invalid_config');
  if (isRowId(path) && !declared.primaryKey) throw missing(path, 'the primary key', 'invalid_config');
}

function typeOf(needed: string): string {
  return needed.replace('?', '');
}

/** The number of a thread where a table has one row of each. */
function isRowId(path: string): boolean {
  return path.endsWith('.thread') && UNIQUE.has(path);
}

function isOptional(column: StoreColumn): boolean {
  return column.nullable === true || (column.default !== undefined && column.default !== null);
}

/** How a table of a database is made. */
export type TableForm = {
  /** Its values have the types of their columns. */
  readonly strict: boolean;
  /** Its primary key has an index: it is not the number of the row itself. */
  readonly keyIndex: boolean;
  readonly columns: readonly ColumnForm[];
};

/** A column as SQLite tells of it: `pk` is 1 for a primary key of one column, `hidden` is not 0 if it is computed. */
export type ColumnForm = {
  readonly name: string;
  readonly type: string;
  readonly pk: number;
  readonly hidden: number;
};

/**
 * What of the tables no release of ours has made so: what they hold may be of other types, or computed when it is asked for, and is
 * not what the statements compare. What an earlier release did not have may be missing.
 */
export function foreignTable(formOf: (table: string) => TableForm | undefined): string | undefined {
  for (const key of TABLE_KEYS) {
    const { table, columns } = NEEDED[key];
    const form = formOf(table);
    if (!form) continue;
    const { strict, keyIndex } = form;
    if (!strict) return `${table} is not a STRICT table`;
    for (const { name, type, pk, hidden } of form.columns) {
      const path = `${table}.${name}`;
      const needed = own(columns, name);
      if (hidden !== 0) return `${path} is computed`;
      if (needed !== undefined && type !== typeOf(needed)) return `${path} is not declared as ${typeOf(needed)}`;
      if (isRowId(path) && (pk !== 1 || keyIndex)) return `${path} is not the number of its row`;
    }
  }
  return undefined;
}

/** A table of ours, in whatever letters. */
export function isNeeded(name: string): boolean {
  return TABLE_KEYS.some((key) => NEEDED[key].table === name.toLowerCase());
}

/** Refuses (`store_corrupt`) a database in which a table or column that the statements use is missing. */
export function requireStoredColumns(columnsOf: (table: string) => readonly string[]): void {
  for (const key of TABLE_KEYS) {
    const { table, columns } = NEEDED[key];
    const stored = new Set(columnsOf(table));
    const absent = Object.keys(columns).find((name) => !stored.has(name));
    if (absent !== undefined) throw missing(`${table}.${absent}`, 'there', 'store_corrupt');
  }
}

function missing(path: string, expected: string, code: SkeinErrorCode): SkeinError {
  const subject = code === 'invalid_config' ? `the store's schema` : 'the database';
  return new SkeinError(code, `${path} in ${subject} must be ${expected}: the store's statements rely on it`, {
    where: { path },
  });
}
