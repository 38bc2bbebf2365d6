import { SkeinError } from '../core/errors.ts';

/** A column of a parsed schema file; not null unless `nullable`. */
export type StoreColumn = {
  readonly name: string;
  readonly type: string;
  readonly primaryKey?: boolean | undefined;
  readonly nullable?: boolean | undefined;
  readonly unique?: boolean | undefined;
  readonly default?: string | number | null | undefined;
};

/** An index of a parsed schema file; `where` makes it partial. */
export type StoreIndex = {
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique?: boolean | undefined;
  readonly where?: string | undefined;
};

/** The `table` section of a schema file (S2 §4.5). */
export type StoreTable = {
  readonly name: string;
  readonly columns: readonly StoreColumn[];
  readonly indexes: readonly StoreIndex[];
};

/** The tables of `threads.db`, parsed from their schema files. */
export type StoreTables = {
  readonly ledger: StoreTable;
  readonly registry: StoreTable;
  readonly events: StoreTable;
  readonly checkpoints: StoreTable;
  readonly approvals: StoreTable;
  readonly entries: StoreTable;
  readonly upkeep: StoreTable;
  readonly home: StoreTable;
};

/** The keys of {@link StoreTables}. */
export const TABLE_KEYS = [
  'ledger',
  'registry',
  'events',
  'checkpoints',
  'approvals',
  'entries',
  'upkeep',
  'home',
] as const;

const IDENTIFIER = /^[a-z][a-z0-9_]{0,62}$/;
const TYPES: ReadonlySet<string> = new Set(['INTEGER', 'TEXT', 'REAL', 'BLOB']);
const WORD = "'[A-Za-z0-9_]*'";
const CLAUSE = `[a-z][a-z0-9_]{0,62} (?:IS NULL|IS NOT NULL|(?:=|<>|!=) ?${WORD}|(?:NOT )?IN \\(${WORD}(?:, ?${WORD})*\\))`;
const CONDITION = new RegExp(`^${CLAUSE}(?: (?:AND|OR) ${CLAUSE})*$`);

/**
 * The statements that create all tables and indexes. Whatever comes from a schema file is checked before it becomes
 * SQL; what does not pass is an `invalid_config` that names the table and the field.
 */
export function createStatements(tables: StoreTables): string[] {
  return TABLE_KEYS.flatMap((key) => [
    createTable(tables[key]),
    ...tables[key].indexes.map((index) => createIndex(tables[key], index)),
  ]);
}

/** What is stored of a table: its columns (none = there is no such table) and its indexes. */
export type StoredTable = { readonly columns: readonly string[]; readonly indexes: readonly string[] };

/** The statements that add what a stored database lacks of the tables: whole tables, columns that may be empty, indexes. */
export function additionStatements(tables: StoreTables, stored: (table: string) => StoredTable): string[] {
  return TABLE_KEYS.flatMap((key) => {
    const table = tables[key];
    const { columns, indexes } = stored(table.name);
    const newColumns = table.columns.filter(({ name }) => !columns.includes(name));
    const made =
      columns.length === 0
        ? [createTable(table)]
        : newColumns.map((column) => `ALTER TABLE ${table.name} ADD COLUMN ${columnDefinition(table.name, column)}`);
    return [
      ...made,
      ...table.indexes.filter(({ name }) => !indexes.includes(name)).map((one) => createIndex(table, one)),
    ];
  });
}

function createTable(table: StoreTable): string {
  const name = identifier(table.name, 'table.name');
  const columns = table.columns.map((column) => columnDefinition(table.name, column));
  return `CREATE TABLE ${name} (${columns.join(', ')}) STRICT`;
}

function columnDefinition(table: string, column: StoreColumn): string {
  const at = `${table}.columns.${column.name}`;
  if (!TYPES.has(column.type)) throw refused(`${at}.type`, column.type, `one of ${[...TYPES].join(', ')}`);
  return [
    identifier(column.name, at),
    column.type,
    column.primaryKey ? 'PRIMARY KEY' : '',
    column.primaryKey || column.nullable ? '' : 'NOT NULL',
    column.unique ? 'UNIQUE' : '',
    column.default === undefined || column.default === null ? '' : `DEFAULT ${literal(column.default, at)}`,
  ]
    .filter(Boolean)
    .join(' ');
}

function createIndex(table: StoreTable, index: StoreIndex): string {
  const at = `${table.name}.indexes.${index.name}`;
  const known = new Set(table.columns.map(({ name }) => name));
  const columns = index.columns.map((column) => identifier(column, `${at}.columns`));
  const stray = columns.find((column) => !known.has(column));
  if (stray !== undefined) throw refused(`${at}.columns`, stray, `a column of ${table.name}`);
  if (columns.length === 0) throw refused(`${at}.columns`, '[]', 'at least one column');
  const where = index.where === undefined ? '' : ` WHERE ${condition(index.where, at)}`;
  const kind = index.unique ? 'UNIQUE INDEX' : 'INDEX';
  return `CREATE ${kind} ${identifier(index.name, at)} ON ${table.name} (${columns.join(', ')})${where}`;
}

function identifier(text: string, path: string): string {
  if (!IDENTIFIER.test(text) || text.startsWith('sqlite_')) {
    throw refused(path, text, 'a name of lower-case letters, digits and _');
  }
  return text;
}

function literal(value: string | number, path: string): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value === 'string' && /^[A-Za-z0-9_ .-]*$/.test(value)) return `'${value}'`;
  throw refused(`${path}.default`, String(value), 'a number, or text of letters, digits, space, _ . and -');
}

/** A partial index's condition: comparisons of a column with quoted words, joined by AND and OR. */
export function condition(text: string, path: string): string {
  const flat = text.trim().replace(/\s+/g, ' ');
  if (flat.length > 500 || !CONDITION.test(flat)) {
    throw refused(`${path}.where`, text, "comparisons like status IN ('created', 'running')");
  }
  return flat;
}

function refused(path: string, value: string, expected: string): SkeinError {
  const shown = JSON.stringify(value.slice(0, 80));
  return new SkeinError('invalid_config', `${path} of the store's schema is ${shown}: it must be ${expected}`, {
    where: { path },
  });
}
