import { hash } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { FieldColumn } from './field-columns.ts';
import { packageVersion } from '../../core/package-version.ts';

/** A connection to an index. */
export type Connection = Database.Database;

/** A statement of a connection. */
export type Statement<Parameters extends unknown[], Result> = Database.Statement<Parameters, Result>;

/** Says in the header of a SQLite file that it is an item index: the letters `skix`. */
const APPLICATION_ID = 0x73_6b_69_78;

/** Another number makes every index anew: what can be read again needs no migration. */
const SCHEMA_VERSION = 3;

/** Segments are merged in small steps of a refresh, and not inside its commits, which would take tens of milliseconds. */
const MERGING = { automerge: 0, usermerge: 8, crisismerge: 1999 };

/** What a database is, seen from here. */
export type IndexState = 'empty' | 'current' | 'other layout' | 'older' | 'newer' | 'foreign';

/** What an index must be to be used. */
export type IndexIdentity = {
  readonly columns: readonly FieldColumn[];
  /** What else decides what is in the index. */
  readonly revision: string;
  /** The file it was made in. An index that came along with a project, or was copied, says nothing about files here. */
  readonly home: string;
};

/** Recognises a database. A damaged one throws a SqliteError. */
export function examineIndex(db: Connection, identity: IndexIdentity): IndexState {
  const application = db.pragma('application_id', { simple: true });
  const tables = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get();
  if (application === 0 && tables === 0) return 'empty';
  if (application !== APPLICATION_ID) return 'foreign';
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version !== SCHEMA_VERSION) return version > SCHEMA_VERSION ? 'newer' : 'older';
  if (!isMadeHere(db)) return 'foreign';
  const meta = readMeta(db);
  if (meta.get('home') !== identity.home) return 'foreign';
  // Another release may read, or refuse, the same files in another way.
  const isOurs = meta.get('layout') === layoutOf(identity) && meta.get('release') === packageVersion();
  return isOurs ? 'current' : 'other layout';
}

/** Creates the tables; inside a transaction. */
export function createIndexTables(db: Connection, identity: IndexIdentity): void {
  for (const statement of statements(identity.columns)) db.exec(statement);
  for (const [name, value] of Object.entries(MERGING)) {
    db.prepare('INSERT INTO texts (texts, rank) VALUES (?, CAST(? AS INTEGER))').run(name, value);
  }
  const meta = db.prepare<[string, string]>('INSERT INTO meta VALUES (?, ?)');
  meta.run('layout', layoutOf(identity));
  meta.run('release', packageVersion());
  meta.run('home', identity.home);
  db.pragma(`application_id = ${APPLICATION_ID}`);
  db.pragma(`user_version = ${SCHEMA_VERSION}`);
}

const META = 'CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID';

function statements(columns: readonly FieldColumn[]): string[] {
  return [
    META,
    `CREATE TABLE items (
      number INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, space TEXT NOT NULL, file TEXT NOT NULL,
      size INTEGER NOT NULL, mtime_ms REAL NOT NULL, ctime_ms REAL NOT NULL, settled INTEGER NOT NULL, hash TEXT,
      problem TEXT, name TEXT NOT NULL, title TEXT NOT NULL, description TEXT NOT NULL, category TEXT NOT NULL,
      tags TEXT NOT NULL, shadowed_by TEXT, UNIQUE (kind, id, space)
    ) STRICT`,
    'CREATE TABLE tags (item INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (item, tag)) STRICT, WITHOUT ROWID',
    `CREATE VIRTUAL TABLE texts USING fts5 (
      ${columns.map((_, index) => columnName(index)).join(', ')},
      tokenize = "unicode61 remove_diacritics 2", prefix = '1 2'
    )`,
  ];
}

/** Field ids come from files, so columns are numbered, not named. */
export function columnName(index: number): string {
  return `c${index}`;
}

/** Whether `meta` is our table. It is read before it is known where the index is from, and what a view computes need not end. */
function isMadeHere(db: Connection): boolean {
  const odd = db.prepare<[string], number>(
    "SELECT count(*) FROM sqlite_schema WHERE type IN ('view', 'trigger') OR (lower(name) = 'meta' AND sql IS NOT ?)",
  );
  return odd.pluck().get(META) === 0;
}

function readMeta(db: Connection): ReadonlyMap<string, string> {
  const rows = db.prepare<[], { name: string; value: string }>('SELECT name, value FROM meta').all();
  return new Map(rows.map(({ name, value }) => [name, value]));
}

/** Weights are not part of it: they are only used when searching. */
function layoutOf({ columns, revision }: IndexIdentity): string {
  return hash('sha256', JSON.stringify([revision, columns.map(({ kind, field }) => [kind, field])]));
}
