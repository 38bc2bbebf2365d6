import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Finding, Repair } from '../../core/finding.ts';
import { openWriter } from '../connection.ts';
import { attempt } from '../../core/result.ts';
import { lockHolder, lockProject } from '../lock.ts';
import { openChecked } from '../reader.ts';
import { withBoth } from './both-databases.ts';
import { checkDatabase, type DatabaseCheck } from './check-database.ts';
import { repairDatabase } from './repair-database.ts';
import { secretsInFile, type Secrets } from './secrets.ts';

/** What a project's store is checked with. */
export type StoreCheck = Omit<DatabaseCheck, 'other' | 'isArchive'>;

/**
 * Everything that does not hold in a project's database and its archive. Changes nothing, also while a runtime has it.
 *
 * @throws SkeinError `store_failed`: nothing has run there yet, or an older version wrote it; `schema_too_new`
 */
export function checkStore(path: string, check: StoreCheck): Finding[] {
  return withBoth(path, openChecked, (db, archive) => {
    const live = checkDatabase(db, { ...check, other: archive });
    // Acknowledgements are of events that may be there by now.
    const { acknowledged: _, ...rest } = check;
    const old = archive ? checkDatabase(archive, { ...rest, other: db, isArchive: true }) : [];
    return [...live, ...old, ...(check.secrets ? secretsOnDisk(dirname(path), check.secrets) : [])];
  });
}

/**
 * Repairs what these findings are about as far as no data is lost by it. Holds the project's lock meanwhile.
 *
 * @throws SkeinError `project_locked`: a runtime has the project
 */
export function repairStore(path: string, findings: readonly Finding[], check: StoreCheck): Repair[] {
  const lock = lockProject(dirname(path));
  try {
    return withBoth(path, openWriter, (db, archive) => repairDatabase(db, findings, { ...check, other: archive }));
  } finally {
    lock.release();
  }
}

/** Files that the store writes, and what a kill leaves of one that was to take its place. */
const OURS = /(?:\.db(?:\.new)?(?:-wal|-journal)?|state\.json(?:\.tmp)?)$/;

/**
 * Free pages, the log and states in files keep bytes that no row has. A process that closes a file loses all locks it has on
 * it: the databases of its own runtime are left alone.
 */
function secretsOnDisk(folder: string, secrets: Secrets): Finding[] {
  const isOwn = isHeldHere(folder);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => OURS.test(name) && !(isOwn && name.endsWith('.db')),
  );
  return files.flatMap((name) => [...secretsInFile(join(folder, name), secrets)]);
}

/** A runtime of this process has the project. One that was killed may have had the same number, as in a container. */
function isHeldHere(folder: string): boolean {
  if (lockHolder(folder) !== process.pid) return false;
  const taken = attempt(() => lockProject(folder));
  if (taken.ok) taken.value.release();
  return !taken.ok && taken.failure.code === 'project_locked';
}
