import type { ThreadNo } from '../../core/ids.ts';
import type { WindowPlace } from '../../core/window-place.ts';
import { readLine, toWindowThread, type WindowParts, type WindowThread } from './window-threads.ts';

/** What somebody looks at. What is not there is left out until it is. */
export type Shown = {
  /** Parents whose children are shown; undefined among them: the roots are. */
  readonly levels: readonly (string | undefined)[];
  /** Every thread is shown. */
  readonly all?: boolean | undefined;
  /** A thread that is open: it and those above it are shown. */
  readonly thread?: string | undefined;
};

/** What has changed of what is shown, since it was last asked. */
export type WindowNews = {
  /** What there is of what is looked at. */
  readonly shown: Shown;
  /** As they stand now: changed themselves, or something below them has. What is open comes first. */
  readonly threads: readonly WindowThread[];
  /** So many more have changed: they come the next times. */
  readonly more: number;
  /** There were too many, or threads were archived: what is shown should be read again. */
  readonly isCut: boolean;
  /** Something has changed, shown or not. */
  readonly isNews: boolean;
};

/** Follows a project; see {@link Shown}. Owns what has changed and was not told yet: it is told in the order in which it changed. */
export interface Follower {
  /** At most so many threads. */
  news(most: number): WindowNews;
  /** All that has changed up to here was told: another follower that begins there misses nothing, and may tell some again. */
  upTo(): WindowPlace;
}

/** Parts of the log that one look at the news goes through. */
const MOST_NEWS = 10_000;
/** Threads whose parents are remembered. */
const MOST_REMEMBERED = 100_000;
/** The number of no thread: that of a root's parent. */
const NOBODY: ThreadNo = 0;

/** Follows what changes from a place on; default: from now on. */
export function followWindow(asked: Shown, parts: WindowParts, since?: WindowPlace): Follower {
  const { window, reader } = parts;
  let version = since ? undefined : window.version();
  let place = since ?? window.place();
  let told = place;
  // What is stored after that is news.
  let { shown, levels, line } = find(asked, parts);
  const parentOf = rememberParents(parts);
  const untold = new Set<ThreadNo>();
  const note = (changed: ThreadNo): void => {
    for (let at = changed; at !== NOBODY; at = parentOf(at)) {
      if (asked.all || line.has(at) || levels.has(parentOf(at))) untold.add(at);
    }
  };
  return {
    news(most) {
      const now = window.version();
      const isNews = now !== version;
      version = now;
      if (isNews) ({ shown, levels, line } = find(asked, parts));
      const changes = isNews ? window.changes(place, MOST_NEWS) : { threads: [], place, isCut: false };
      const { isCut } = changes;
      ({ place } = changes);
      // Whoever reads all again is told nothing by what came before.
      if (isCut) untold.clear();
      else for (const thread of changes.threads) note(thread);
      const taken = takeFirst({ line, untold }, most);
      if (untold.size === 0) told = place;
      const rows = taken.flatMap((thread) => reader.threadByNo(thread) ?? []);
      return { shown, threads: rows.map((row) => toWindowThread(row, parts)), more: untold.size, isCut, isNews };
    },
    upTo: () => told,
  };
}

type Found = {
  readonly shown: Shown;
  /** Parents by their numbers. */
  readonly levels: ReadonlySet<ThreadNo>;
  /** What is open, and those above it. */
  readonly line: ReadonlySet<ThreadNo>;
};

/** What there is now of what is asked for. */
function find({ levels, all, thread }: Shown, parts: WindowParts): Found {
  const rows = levels.flatMap((id) => {
    const number = id === undefined ? NOBODY : parts.reader.thread(id)?.thread;
    return number === undefined ? [] : [{ id, number }];
  });
  const line = thread === undefined || !parts.reader.thread(thread) ? [] : readLine(thread, parts).toReversed();
  return {
    shown: { levels: rows.map(({ id }) => id), all, thread: line[0]?.threadId },
    levels: new Set(rows.map(({ number }) => number)),
    line: new Set(line.map((row) => row.thread)),
  };
}

type Told = { readonly line: ReadonlySet<ThreadNo>; readonly untold: Set<ThreadNo> };

/** Takes at most so many out of `untold`, those of the line first. Nothing is looked at that stays: it may be 100,000. */
function takeFirst({ line, untold }: Told, most: number): readonly ThreadNo[] {
  const taken: ThreadNo[] = [];
  for (const some of [line, untold]) {
    for (const thread of some) {
      if (taken.length >= most) return taken;
      if (untold.delete(thread)) taken.push(thread);
    }
  }
  return taken;
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
