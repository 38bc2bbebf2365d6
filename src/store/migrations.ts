import { SkeinError } from '../core/errors.ts';
import { storedTable, type Connection } from './connection.ts';
import { additionStatements, createStatements, type StoreTables } from './schema.ts';

/**
 * The schema version this program writes (`PRAGMA user_version`). 2 added approvals, budget entries and continuations, 3 the
 * index of interrupted threads, 4 the same by tree, 5 where the database was made.
 */
export const SCHEMA_VERSION = 5;

/** The version a database says it has. A newer one is refused with `schema_too_new`, a foreign file with `store_corrupt`. */
export function readVersion(db: Connection): number {
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version > SCHEMA_VERSION) {
    throw new SkeinError(
      'schema_too_new',
      `the database has schema version ${version}, this program knows ${SCHEMA_VERSION}: use a newer one`,
      { where: { file: db.name }, detail: { version, supported: SCHEMA_VERSION } },
    );
  }
  if (version < 1) {
    throw new SkeinError('store_corrupt', 'the file is not a database of this program: it has no schema version', {
      where: { file: db.name },
    });
  }
  return version;
}

/**
 * Brings a database from `version` (0 = an empty one) to {@link SCHEMA_VERSION} in one transaction. Every version so far
 * only added tables, columns that may be empty, and indexes.
 */
export function migrate(db: Connection, tables: StoreTables, version: number): void {
  if (version === SCHEMA_VERSION) return;
  const apply = db.transaction(() => {
    const statements =
      version === 0 ? createStatements(tables) : additionStatements(tables, (table) => storedTable(db, table));
    for (const statement of statements) db.exec(statement);
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
  });
  apply.immediate();
}
