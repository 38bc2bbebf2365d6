import { knownSecrets, variableSecrets, type KnownSecret } from '../../config/secret-values.ts';
import { projectFolder } from '../../config/project-folder.ts';
import { describeFailure, SkeinError, toFailure } from '../../core/errors.ts';
import type { Finding, Repair } from '../../core/finding.ts';
import { LEAST_SECRET } from '../../core/redactor.ts';
import { attempt } from '../../core/result.ts';
import { storeOf } from '../../core/store-place.ts';
import { fileFinding } from '../../store/checks/check-file.ts';
import { checkStore, repairStore, type StoreCheck } from '../../store/checks/check-store.ts';
import { lockHolder } from '../../store/lock.ts';
import { isOlder, upgradeStore } from '../../store/upgrade.ts';
import { checkChoice } from '../handle/argument-types.ts';
import { legalEdges } from './legal-edges.ts';
import { loadRuntimeConfig, type StartOptions } from '../config/runtime-config.ts';
import type { RuntimeOptions } from '../runtime-options.ts';

/** Settings of `doctor`. */
export type DoctorOptions = Pick<RuntimeOptions, 'project' | 'env' | 'userSpace' | 'config'> & {
  /** Repair what can be repaired without losing data. Default false: nothing is changed. */
  readonly repair?: boolean | undefined;
};

/** How a project's database is. */
export type DoctorReport = {
  /** Nothing is wrong, or nothing is any more. */
  readonly isClean: boolean;
  readonly database: string;
  /** Process that runs the project meanwhile: it was only looked at. If it is this one, no database file was searched for secrets. */
  readonly heldBy: number | undefined;
  readonly repaired: readonly Repair[];
  /** What is wrong now. */
  readonly findings: readonly Finding[];
};

/**
 * Checks the invariants of what is stored of a project, and repairs it if asked to. Where the configuration can't be read, which
 * says what is secret, all else is checked, and that is a finding.
 */
export function examineProject({
  repair = false,
  ...options
}: DoctorOptions & Pick<StartOptions, 'env'>): DoctorReport {
  checkChoice('repair', repair);
  const { folder, database } = storeOf(projectFolder(options.project));
  const { secrets, unsure } = secretsOf(options);
  const check: StoreCheck = { edges: legalEdges(), secrets };
  const upgraded = repair ? upgrade(database, options) : [];
  // What is not told is repaired as well.
  const before = findingsOf(database, repair ? { ...check, limit: Infinity } : check);
  const repaired = repair && before.length > 0 ? repairsOf(database, before, check) : [];
  const findings = [...unsure, ...(repair && before.length > 0 ? findingsOf(database, check) : before)];
  const repairs = [...upgraded, ...repaired];
  return { isClean: findings.length === 0, database, heldBy: lockHolder(folder), repaired: repairs, findings };
}

/** What an older version has written is brought up to date before it is checked. Why a file can't be read the check says. */
function upgrade(database: string, options: StartOptions): readonly Repair[] {
  const older = attempt(() => isOlder(database));
  if (!older.ok || !older.value) return [];
  upgradeStore(database, loadRuntimeConfig(options).config.tables);
  return [{ message: 'what an older version had written was brought up to date' }];
}

/** A file that is damaged beyond reading is what is wrong with it. */
function findingsOf(database: string, check: StoreCheck): readonly Finding[] {
  return unlessCorrupt(
    () => checkStore(database, check),
    (error) => [fileFinding(database, error)],
  );
}

/** Why a file can't be written the findings say. */
function repairsOf(database: string, findings: readonly Finding[], check: StoreCheck): readonly Repair[] {
  return unlessCorrupt(
    () => repairStore(database, findings, check),
    () => [],
  );
}

function unlessCorrupt<Of>(work: () => Of, otherwise: (error: SkeinError) => Of): Of {
  try {
    return work();
  } catch (error) {
    if (error instanceof SkeinError && error.code === 'store_corrupt') return otherwise(error);
    throw error;
  }
}

type Sought = { readonly secrets: ReadonlyMap<string, string>; readonly unsure: readonly Finding[] };

/** What is taken out of all that is stored: the redactor's list, by what may be said of each. Of a scheme and its token the token. */
function secretsOf(options: StartOptions): Sought {
  try {
    return { secrets: byName(knownSecrets(loadRuntimeConfig(options).config, options.env)), unsure: [] };
  } catch (thrown) {
    const failure = toFailure(thrown);
    if (failure.code !== 'invalid_config') throw thrown;
    const message = `Secrets that the configuration names were not looked for: ${describeFailure(failure)}`;
    return { secrets: byName(variableSecrets(options.env)), unsure: [{ invariant: 'E6', message }] };
  }
}

function byName(known: readonly KnownSecret[]): ReadonlyMap<string, string> {
  return new Map(known.flatMap(({ what, value }) => (value.length < LEAST_SECRET ? [] : [[what, value]])));
}
