import type { ThreadNo } from '../../core/ids.ts';
import type { WindowPlace } from '../../store/window.ts';
import { readLine, requireRow, toWindowThread, type WindowParts, type WindowThread } from './window-threads.ts';

/** What somebody looks at. */
export type Shown = {
  /** Parents whose children are shown; undefined among them: the roots are. */
  readonly levels: readonly (string | undefined)[];
  /** A thread that is open: it and those above it are shown. */
  readonly thread?: string | undefined;
};

/** What has changed of what is shown, since it was last asked. */
export type WindowNews = {
  /** As they stand now: changed themselves, or something below them has. */
  readonly threads: readonly WindowThread[];
  /** So many more have changed than were read. */
  readonly more: number;
  /** Others may have changed, too: what is shown should be read again. */
  readonly isCut: boolean;
  /** Something has changed, shown or not. */
  readonly isNews: boolean;
};

/** Follows a project; see {@link Shown}. */
export interface Follower {
  news(most: number): WindowNews;
}

/** Parts of the log that one look at the news goes through. */
const MOST_NEWS = 10_000;
/** Threads whose parents are remembered. */
const MOST_REMEMBERED = 100_000;
/** The number of no thread: that of a root's parent. */
const NOBODY: ThreadNo = 0;

/** Follows what changes from now on. @throws SkeinError `thread_not_found` */
export function followWindow(shown: Shown, parts: WindowParts): Follower {
  const { window, reader } = parts;
  const levels = new Set(shown.levels.map((id) => (id === undefined ? NOBODY : requireRow(reader, id).thread)));
  const open = shown.thread === undefined ? [] : readLine(shown.thread, parts);
  const line = new Set(open.map(({ thread }) => thread));
  const parentOf = rememberParents(parts);
  let version = window.version();
  let place: WindowPlace = window.place();
  return {
    news(most) {
      const now = window.version();
      if (now === version) return { threads: [], more: 0, isCut: false, isNews: false };
      version = now;
      const changes = window.changes(place, MOST_NEWS);
      place = changes.place;
      const touched = new Set<ThreadNo>();
      for (const thread of changes.threads) {
        for (let at = thread; at !== NOBODY; at = parentOf(at)) {
          if (line.has(at) || levels.has(parentOf(at))) touched.add(at);
        }
      }
      const rows = [...touched].slice(0, most).flatMap((thread) => reader.threadByNo(thread) ?? []);
      const threads = rows.map((row) => toWindowThread(row, parts));
      return { threads, more: Math.max(0, touched.size - most), isCut: changes.isCut, isNews: true };
    },
  };
}

/** A thread never gets another parent. */
function rememberParents({ window }: WindowParts): (thread: ThreadNo) => ThreadNo {
  const known = new Map<ThreadNo, ThreadNo>();
  return (thread) => {
    const told = known.get(thread);
    if (told !== undefined) return told;
    if (known.size >= MOST_REMEMBERED) known.clear();
    const parent = window.parentOf(thread) ?? NOBODY;
    known.set(thread, parent);
    return parent;
  };
}
