import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { SkeinError } from '../core/errors.ts';
import type { ForeignThreads } from '../core/store.ts';
import type { Connection } from './connection.ts';

/** What {@link settleHome} looks at. */
export type Settling = {
  readonly db: Connection;
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
};

type Home = ForeignThreads & { readonly identity: string };

/**
 * Finds out whether a database is where it was made, and has it at home here from now on if it is not: a database may come
 * with a project from anywhere, and says whatever its maker likes (ADR 67). Returns which of its threads came here with it.
 * One of a release that did not write down where it is has come from elsewhere as well.
 */
export function settleHome({ db, path, now }: Settling): ForeignThreads | undefined {
  const identity = identityOf(path);
  const stored = db.prepare<[], Home>(`${SELECT_HOME} NOT INDEXED`).get();
  const home = stored?.identity === identity ? requireWhole(stored, path) : moveIn({ db, path, now }, identity);
  return home.last > 0 ? { last: home.last, until: home.until } : undefined;
}

const SELECT_HOME = 'SELECT identity, last_thread AS last, written_at AS until FROM home';

/** Looks at every thread, this once, and at no index: what a stranger has made may say one thing here and another one there. */
function moveIn({ db, path, now }: Settling, identity: string): Home {
  const move = db.transaction((): Home => {
    const threads = db.prepare<[], { last: number | null; until: number | null; circular: number | null }>(
      SELECT_THREADS,
    );
    const { last, until, circular } = threads.get() ?? { last: null, until: null, circular: null };
    const latest = requireWhole({ last: last ?? 0, until: until ?? 0 }, path);
    if (circular === 1) {
      throw new SkeinError('store_corrupt', CIRCULAR, { where: { file: path } });
    }
    const home = { identity, last: latest.last, until: Math.max(now, latest.until) };
    db.exec('DELETE FROM home');
    db.prepare('INSERT INTO home (identity, last_thread, written_at) VALUES (?, ?, ?)').run(
      identity,
      home.last,
      home.until,
    );
    return home;
  });
  return move.immediate();
}

const CIRCULAR =
  'links of a thread lead in a circle, "skein doctor" says which: move the database away to begin anew, ' +
  'once you have what "skein export --all" can read of it';

const SELECT_THREADS = `SELECT MAX(+thread) AS last, MAX(+updated_at) AS until,
  MAX(+parent_thread >= +thread OR +predecessor >= +thread OR +successor <= +thread) AS circular FROM threads NOT INDEXED`;

/** What is no such number, of a table that was changed behind SQLite's back, is neither more nor less than another one. */
function requireWhole<Of extends ForeignThreads>(found: Of, file: string): Of {
  if (Number.isSafeInteger(found.last) && Number.isSafeInteger(found.until)) return found;
  throw new SkeinError('store_corrupt', 'the number or the time of a thread in the database is no whole number', {
    where: { file },
  });
}

/**
 * What the file is here and nowhere else. Its inode may be guessed; when it was made, where the file system knows it, can't. The
 * device may have another number after each start. Hashed: digits of a time may be those of somebody's password, for which the file is
 * searched.
 */
function identityOf(path: string): string {
  const { ino, birthtimeNs } = statSync(path, { bigint: true });
  return hash('sha256', `${ino}:${birthtimeNs}`);
}
