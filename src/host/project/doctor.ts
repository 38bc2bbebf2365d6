import { join } from 'node:path';
import { knownSecrets } from '../../config/secret-values.ts';
import { SkeinError } from '../../core/errors.ts';
import type { Finding } from '../../core/finding.ts';
import { LEAST_SECRET } from '../../core/redactor.ts';
import { checkStore, repairStore, type StoreCheck } from '../../store/checks/check-store.ts';
import type { Repair } from '../../store/checks/repair-database.ts';
import { lockHolder } from '../../store/lock.ts';
import { legalEdges } from './legal-edges.ts';
import { loadRuntimeConfig, projectFolder, type StartOptions } from '../config/runtime-config.ts';
import type { RuntimeOptions } from '../runtime-options.ts';

/** Settings of `doctor`. */
export type DoctorOptions = Pick<RuntimeOptions, 'project' | 'env' | 'userSpace' | 'config'> & {
  /** Repair what can be repaired without losing data. Default false: nothing is changed. */
  readonly repair?: boolean;
};

/** How a project's database is. */
export type DoctorReport = {
  /** Nothing is wrong, or nothing is any more. */
  readonly isClean: boolean;
  readonly database: string;
  /** Process that runs the project meanwhile: it was only looked at. */
  readonly heldBy: number | undefined;
  readonly repaired: readonly Repair[];
  /** What is wrong now. */
  readonly findings: readonly Finding[];
};

/**
 * Checks the invariants of what is stored of a project, and repairs it if asked to.
 *
 * @throws SkeinError `invalid_config`: which values are secret is not known without
 */
export function examineProject({
  repair = false,
  ...options
}: DoctorOptions & Pick<StartOptions, 'env'>): DoctorReport {
  const folder = join(projectFolder(options.project ?? '.'), '.ai', 'threads');
  const database = join(folder, 'threads.db');
  const check: StoreCheck = { edges: legalEdges(), secrets: secretsOf(options) };
  const before = findingsOf(database, check);
  const repaired = repair && before.length > 0 ? repairStore(database, before, check) : [];
  const findings = repaired.length > 0 ? findingsOf(database, check) : before;
  return { isClean: findings.length === 0, database, heldBy: lockHolder(folder), repaired, findings };
}

/** A file that is damaged beyond reading is what is wrong with it. */
function findingsOf(database: string, check: StoreCheck): readonly Finding[] {
  try {
    return checkStore(database, check);
  } catch (error) {
    if (error instanceof SkeinError && error.code === 'store_corrupt') {
      return [{ invariant: 'file', message: error.message }];
    }
    throw error;
  }
}

/** What is taken out of all that is stored: the redactor's list, by what may be said of each. Of a scheme and its token the token. */
function secretsOf(options: StartOptions): ReadonlyMap<string, string> {
  const known = knownSecrets(loadRuntimeConfig(options).config, options.env);
  return new Map(known.flatMap(({ what, value }) => (value.length < LEAST_SECRET ? [] : [[what, value]])));
}
