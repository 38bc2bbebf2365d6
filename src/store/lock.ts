import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { codeOf } from '../core/code-of.ts';
import { attempt } from '../core/result.ts';
import { SkeinError } from '../core/errors.ts';
import { refuseLink } from './own-place.ts';
import { sqliteCode, sqliteFailure } from './sqlite-failure.ts';
import { unwritable } from './unwritable.ts';

/** A project's lock, held until it is released or the process ends. */
export interface ProjectLock {
  /**
   * Looks whether its file is still there. Whoever takes that away lets another runtime in, which finds no lock.
   *
   * @throws SkeinError `store_failed` if it is gone, or another one
   */
  check(): void;
  release(): void;
}

/**
 * Takes the lock of a project: an exclusive transaction on an empty SQLite file, which the operating system drops with
 * the process and which also holds between two runtimes of one process. The file is never opened with `node:fs`, since
 * closing it there would drop the lock. Throws `project_locked`, naming the holder's process id if it is known, and
 * `project_unwritable`, also where the folder or the file is a link.
 */
export function lockProject(folder: string): ProjectLock {
  const file = join(folder, 'runtime.lock');
  const holder = join(folder, 'runtime.pid');
  refuseLink(folder);
  refuseLink(file);
  const db = takeLock(file, holder);
  let taken: number;
  try {
    taken = inodeOf(file);
    chmodSync(file, 0o600);
    // One that was killed has left it; and what is there may be a link.
    rmSync(holder, { force: true });
    writeFileSync(holder, `${process.pid}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    db.close();
    // The lock can be held where nothing can be written.
    throw unwritable(holder, error);
  }
  return {
    check() {
      if (inodeNow(file) === taken) return;
      const message =
        'the lock of the project was taken away, so that another runtime may write: this one writes no more';
      throw new SkeinError('store_failed', message, { where: { file } });
    },
    release() {
      if (!db.open) return;
      // It may be another's.
      if (!isAnother(file, taken)) rmSync(holder, { force: true });
      db.close();
    },
  };
}

/** No other file has the same as long as this one is open. */
function inodeOf(file: string): number {
  return statSync(file).ino;
}

/** Whether there is another file in the place of one, or nobody can tell. */
function isAnother(file: string, taken: number): boolean {
  const now = attempt(() => inodeNow(file) ?? taken);
  return !now.ok || now.value !== taken;
}

/** Undefined if there is none. */
function inodeNow(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

function takeLock(file: string, holder: string): Database.Database {
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { timeout: 0 });
    db.pragma('journal_mode = MEMORY');
    db.exec('BEGIN EXCLUSIVE');
    return db;
  } catch (error) {
    db?.close();
    if (sqliteCode(error)?.startsWith('SQLITE_BUSY')) throw locked(file, holder);
    throw sqliteFailure(error, file);
  }
}

function locked(file: string, holder: string): SkeinError {
  const pid = readPid(holder);
  const by = pid === undefined ? 'another process' : `process ${pid}`;
  return new SkeinError('project_locked', `${by} already runs this project: stop it, or talk to it instead`, {
    where: { file },
    ...(pid !== undefined && { detail: { pid } }),
  });
}

/**
 * The process that holds a project's lock, as far as can be told without touching it; undefined: none. One that was
 * killed has left its id behind, which the system may have given to somebody else by now.
 */
export function lockHolder(folder: string): number | undefined {
  const pid = readPid(join(folder, 'runtime.pid'));
  return pid !== undefined && isAlive(pid) ? pid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It is there, and somebody else's.
    return codeOf(error) === 'EPERM';
  }
}

function readPid(holder: string): number | undefined {
  try {
    const pid = Number(readFileSync(holder, 'utf8'));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    // The holder has not written it yet, or has just removed it: the message then does without.
    return undefined;
  }
}
