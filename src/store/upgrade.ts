import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fromFailure } from '../core/errors.ts';
import { migrateArchive, versionOf } from './archive.ts';
import { archivePath } from './archive-shelf.ts';
import { lockProject } from './lock.ts';
import { SCHEMA_VERSION } from './migrations.ts';
import { openDatabase } from './open.ts';
import { requireDatabase } from './reader.ts';
import type { StoreTables } from './schema.ts';
import { naming } from './sqlite-failure.ts';

/**
 * Whether an older version of this program has written a project's database or its archive.
 *
 * @throws SkeinError `store_failed`, `store_corrupt`, `schema_too_new`
 */
export function isOlder(path: string): boolean {
  requireDatabase(path);
  const files = [path, archivePath(path)].filter((file) => existsSync(file));
  return files.some((file) => naming(file, () => versionOf(file)) !== SCHEMA_VERSION);
}

/**
 * Brings what an older version has written up to date, as a runtime does at its start, and holds the project's lock meanwhile.
 *
 * @throws SkeinError `project_locked`, `project_unwritable`, and what {@link isOlder} throws
 */
export function upgradeStore(path: string, tables: StoreTables): void {
  const lock = lockProject(dirname(path));
  try {
    naming(path, () => openDatabase(path, tables)).close();
    const stale = migrateArchive(path, tables);
    if (stale) throw fromFailure(stale);
  } finally {
    lock.release();
  }
}
