import { SkeinError } from '../core/errors.ts';
import type { Connection } from './connection.ts';
import type { StoreTables } from './schema.ts';
import { createStatements } from './schema.ts';

/** One step from a schema version to the next, as SQL. */
type Migration = (tables: StoreTables) => readonly string[];

/** Step `n` leads from version `n` to `n + 1`; only ever appended to. */
const MIGRATIONS: readonly Migration[] = [createStatements];

/** The schema version this program writes (`PRAGMA user_version`). */
const SCHEMA_VERSION: number = MIGRATIONS.length;

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

/** Brings a database from `version` to {@link SCHEMA_VERSION}, all steps in one transaction. */
export function migrate(db: Connection, tables: StoreTables, version: number): void {
  if (version === SCHEMA_VERSION) return;
  const apply = db.transaction(() => {
    for (const step of MIGRATIONS.slice(version)) {
      for (const statement of step(tables)) db.exec(statement);
    }
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
  });
  apply.immediate();
}
