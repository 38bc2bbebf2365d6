import type { ThreadId, ThreadNo } from '../core/ids.ts';
import type { Connection } from './connection.ts';
import { stateFileTime } from './state-file.ts';

/** Folders looked at in one go: a millisecond. */
const SLICE = 50;
/** Most threads without a folder that are younger than all with one. */
const MOST_YOUNGER = 1_000;

type Found = { readonly thread: ThreadNo; readonly updated_at: number };

/**
 * The threads whose state.json a kill has left behind their rows, one at a time: a file has the time of the row that it was made from.
 * In the end those that came after the last one with a folder: theirs were still to be made. `undefined` where some folders were
 * looked at, and there is more to come.
 */
export function* filesLeftBehind(
  db: Connection,
  folder: string,
  names: readonly ThreadId[],
): Generator<ThreadNo | undefined, void> {
  const find = db.prepare<[ThreadId], Found>('SELECT thread, updated_at FROM threads WHERE thread_id = ?');
  const younger = db
    .prepare<[ThreadNo, number], ThreadNo>('SELECT thread FROM threads WHERE thread > ? ORDER BY thread LIMIT ?')
    .pluck();
  let youngest: ThreadNo | undefined;
  for (let from = 0; from < names.length; from += SLICE) {
    const behind: ThreadNo[] = [];
    for (const name of names.slice(from, from + SLICE)) {
      const row = find.get(name);
      // It is in the archive, or no thread's.
      if (!row) continue;
      youngest = Math.max(row.thread, youngest ?? 0);
      if (stateFileTime(folder, name) !== row.updated_at) behind.push(row.thread);
    }
    if (behind.length > 0) yield* behind;
    else yield undefined;
  }
  if (youngest !== undefined) yield* younger.all(youngest, MOST_YOUNGER);
}
