import { mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import Database from 'better-sqlite3';
import { openStore } from '../../src/store/open.ts';
import { leavesOf } from '../../src/config/leaves.ts';
import type { Document } from '../../src/config/merge.ts';
import { once, outcome, replaced, SCHEMA_VERSION, type Row, type State } from './row.ts';

/** The database that these schemas make, as SQLite tells it; or why they make none. */
const database = once(({ config }: State): unknown => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-keys-'));
  const path = join(folder, 'threads', 'threads.db');
  try {
    return outcome(() => {
      openStore({ path, tables: config.tables, now: () => 0 }).close();
      return describe(path);
    });
  } finally {
    rmSync(dirname(dirname(path)), { recursive: true });
  }
});

function describe(path: string): unknown {
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare('SELECT type, name, sql FROM sqlite_master ORDER BY name').all();
  } finally {
    db.close();
  }
}

export const TABLE_ROWS: readonly Row[] = [
  SCHEMA_VERSION,
  {
    path: 'operations.release.on_status[*]',
    to: () => 'suspended',
    refused: /must contain completed, cancelled, error/,
  },
  { path: 'table.name', sees: database },
  { path: 'table.columns[*].name', sees: database, referred: /^SkeinError: index "\w+" names/ },
  { path: 'table.columns[*].type', to: (type) => (type === 'TEXT' ? 'INTEGER' : 'TEXT'), sees: database },
  { path: 'table.columns[*].primary_key', sees: database },
  { path: 'table.columns[*].nullable', sees: database },
  { path: 'table.columns[*].unique', sees: database },
  { path: 'table.columns[*].default', sees: database },
  { path: 'table.indexes[*].name', sees: database },
  { path: 'table.indexes[*].unique', sees: database },
  {
    path: 'table.indexes[*].columns[*]',
    change: (document, path) => replaced(document, path, (column) => columnBeside(document, column)),
    sees: database,
  },
  {
    path: 'table.indexes[*].where',
    change: (document, path) =>
      replaced(document, path, () => `${String(columnBeside(document, undefined))} IS NOT NULL`),
    sees: database,
  },
];

/** A column of the table that is no other's place in its indexes: the last one that is not this. */
function columnBeside(document: Document, column: unknown): unknown {
  const names = [...leavesOf(document)].filter(([path]) => /^table\.columns\[[^\]]+\]\.name$/.test(path));
  return names.map(([, name]) => name).findLast((name) => name !== column);
}
