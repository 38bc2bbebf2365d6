import {
  ALL,
  ROOT,
  type ApiStatus,
  type LevelAnswer,
  type LevelTotals,
  type LiveBatch,
  type ThreadRow,
} from '../../api.ts';

/** A level of the tree as far as it was read: children of a thread, the roots, or with a filter all threads that pass it. */
export type Level = {
  readonly ids: readonly string[];
  readonly totals: LevelTotals | undefined;
  /** Where the next page begins, if there is one. */
  readonly next: string | undefined;
  /** The tree's version when the reading began that its first page is from. */
  readonly asOf: number;
  /** The same of each reading under way whose page may still be taken. */
  readonly underWay: readonly number[];
  /** Why the page is not there of the reading that failed last; none since one began, or a first page came. */
  readonly failed: string | undefined;
  /** Threads that came live while a reading is under way, and the tree's version when each did. */
  readonly came: readonly { readonly id: string; readonly at: number }[];
};

/**
 * The tree as the page knows it. Changed by making another one, except for `threads` and `heard`, which only ever gain and
 * replace. What is newer is told by the order of arrival, never by a clock: that may go back.
 */
export type TreeState = {
  /** Every thread that was heard of. Changed in place: copying 10,000 of them for each batch costs more than drawing. */
  readonly threads: Map<string, ThreadRow>;
  /** The version at which each of them came live, or the reading began that it is from. Changed in place as well. */
  readonly heard: Map<string, number>;
  readonly levels: ReadonlyMap<string, Level>;
  readonly expanded: ReadonlySet<string>;
  /** Only threads that stand so are read, in one list whatever is above them; empty: all. */
  readonly filter: readonly ApiStatus[];
  /** Grows with every change of `threads`, so that rows know when to be drawn again, and with every reading that begins. */
  readonly version: number;
};

const UNREAD: Level = {
  ids: [],
  totals: undefined,
  next: undefined,
  asOf: 0,
  underWay: [],
  failed: undefined,
  came: [],
};

/** Whether a level is being read; `failed`: why a page of it is not there. */
export function readingOf({ underWay, failed }: Level): 'no' | 'yes' | { readonly failed: string } {
  if (underWay.length > 0) return 'yes';
  return failed === undefined ? 'no' : { failed };
}

/** The tree's version when one of these threads was heard of last; 0: none was. */
export function lastHeard({ heard }: Pick<TreeState, 'heard'>, ids: readonly string[]): number {
  return Math.max(0, ...ids.map((id) => heard.get(id) ?? 0));
}

/** Nothing read yet. */
export function emptyTree(): TreeState {
  return {
    threads: new Map(),
    heard: new Map(),
    levels: new Map([[ROOT, UNREAD]]),
    expanded: new Set(),
    filter: [],
    version: 0,
  };
}

/** The level that the tree begins with. */
export function topOf({ filter }: Pick<TreeState, 'filter'>): string {
  return filter.length === 0 ? ROOT : ALL;
}

/** Another choice of threads, of which nothing is read yet. */
export function withFilter(tree: TreeState, filter: readonly ApiStatus[]): TreeState {
  const levels = new Map([[topOf({ filter }), UNREAD]]);
  return { ...tree, levels, expanded: new Set(), filter, version: tree.version + 1 };
}

/** A page of a level is asked for from now on: the tree's version says which reading it is. */
export function withReading(tree: TreeState, parent: string): TreeState {
  const since = tree.version + 1;
  const level = tree.levels.get(parent) ?? UNREAD;
  const underWay = [...level.underWay, since];
  return withLevel({ ...tree, version: since }, parent, { ...level, underWay, failed: undefined });
}

/** Which page it is: the one after `after`, or the first; `since`: the tree's version when its reading began. */
export type PageRead = { readonly after: string | undefined; readonly since: number };

/** A page has not come. That of a level whose first page is from a later reading is not missed. */
export function withFailure(tree: TreeState, parent: string, { failed, since }: Failed): TreeState {
  const level = tree.levels.get(parent) ?? UNREAD;
  return since < level.asOf ? tree : withLevel(tree, parent, { ...settled(level, since), failed });
}

type Failed = Pick<PageRead, 'since'> & { readonly failed: string };

/**
 * A page has come: the first one replaces the level, another one follows what is there, if it is what follows there still. What
 * came live since its reading began is newer and stays; a page of a level that was read again later is too late.
 */
export function withPage(tree: TreeState, page: LevelAnswer, { after, since }: PageRead): TreeState {
  const { parent, totals, next } = page;
  const known = tree.levels.get(parent) ?? UNREAD;
  const isFirst = after === undefined;
  if (since < known.asOf || (!isFirst && after !== known.next)) {
    return withLevel(tree, parent, settled(known, since));
  }
  for (const thread of page.threads) {
    if ((tree.heard.get(thread.id) ?? 0) > since) continue;
    tree.threads.set(thread.id, thread);
    tree.heard.set(thread.id, since);
  }
  const ids = [...new Set([...(isFirst ? [] : known.ids), ...page.threads.map(({ id }) => id)])];
  const late = known.came.flatMap(({ id, at }) => (at > since ? (tree.threads.get(id) ?? []) : []));
  const level: Level = {
    ...settled(isFirst ? { ...known, asOf: since, failed: undefined } : known, since),
    ids,
    totals,
    next,
  };
  const all = joined(tree, { parent, level, came: late });
  // Some may have changed since the page was read.
  const passing = tree.filter.length === 0 ? all : all.filter((id) => passes(tree, tree.threads.get(id)));
  return withLevel({ ...tree, version: tree.version + 1 }, parent, { ...level, ids: passing });
}

/** A reading has come or failed, and is not waited for any more; nor is one before that which the first page is from. */
function settled(level: Level, since: number): Level {
  const underWay = level.underWay.filter((begun) => begun !== since && begun > level.asOf);
  const [oldest = Number.POSITIVE_INFINITY] = underWay;
  return { ...level, underWay, came: level.came.filter(({ at }) => at > oldest) };
}

/** Opens or closes a thread's children. */
export function withExpanded(tree: TreeState, id: string, open: boolean): TreeState {
  const expanded = new Set(tree.expanded);
  if (open) expanded.add(id);
  else expanded.delete(id);
  return { ...tree, expanded };
}

/**
 * What a batch tells. A thread that is new in a level that is read goes where reading the level again would put it: roots by
 * their age, if the level is read so far, and children last, if the level's end is there. With a filter those are new that have
 * come to pass it, and those go that no longer do.
 */
export function withBatch(tree: TreeState, batch: Pick<LiveBatch, 'changed' | 'levels'>): TreeState {
  const levelOf = ({ parent = ROOT }: ThreadRow): string => (tree.filter.length === 0 ? parent : ALL);
  const passed = ({ id }: ThreadRow): boolean => passes(tree, tree.threads.get(id));
  // What was heard of one before the level's last reading began is old: it may have left the level and come again.
  const isThere = (thread: ThreadRow): boolean =>
    passed(thread) && (tree.heard.get(thread.id) ?? 0) >= lastBegun(tree.levels.get(levelOf(thread)) ?? UNREAD);
  const fresh = batch.changed.filter((thread) => passes(tree, thread) && !isThere(thread));
  const gone = batch.changed.filter((thread) => !passes(tree, thread) && passed(thread));
  const version = tree.version + 1;
  for (const thread of batch.changed) {
    tree.threads.set(thread.id, thread);
    tree.heard.set(thread.id, version);
  }
  const levels = new Map(tree.levels);
  for (const [parent, threads] of Map.groupBy(gone, levelOf)) {
    const level = levels.get(parent);
    const ids = new Set(threads.map(({ id }) => id));
    if (level) levels.set(parent, { ...level, ids: level.ids.filter((id) => !ids.has(id)) });
  }
  for (const [parent, threads] of Map.groupBy(fresh, levelOf)) {
    const level = levels.get(parent);
    if (!level) continue;
    const now = threads.map(({ id }) => ({ id, at: version }));
    const came = level.underWay.length > 0 ? [...level.came, ...now] : level.came;
    levels.set(parent, { ...level, ids: joined(tree, { parent, level, came: threads }), came });
  }
  for (const { parent, totals } of batch.levels) {
    const level = levels.get(parent);
    if (level) levels.set(parent, { ...level, totals });
  }
  const same = fresh.length + gone.length + batch.levels.length === 0;
  return { ...tree, levels: same ? tree.levels : levels, version };
}

/** The tree's version when the last reading began that has come or is under way. */
function lastBegun({ asOf, underWay }: Level): number {
  return Math.max(asOf, ...underWay);
}

/** One that was never heard of does not. */
function passes({ filter }: TreeState, thread: ThreadRow | undefined): boolean {
  return thread !== undefined && (filter.length === 0 || filter.includes(thread.status));
}

type Joining = { readonly parent: string; readonly level: Level; readonly came: readonly ThreadRow[] };

/** The threads of a level with others that came. */
function joined({ filter, threads }: TreeState, { parent, level, came }: Joining): readonly string[] {
  // Those that came are few, some of them more than once, and the level may have 100,000.
  const missing = new Map(came.map((thread) => [thread.id, thread]));
  for (const id of level.ids) missing.delete(id);
  const added = [...missing.values()].toSorted((a, b) => a.created_at_ms - b.created_at_ms || (a.id < b.id ? -1 : 1));
  const ids = added.map(({ id }) => id);
  const isCut = level.next !== undefined;
  if (filter.length === 0 && parent !== ROOT) return isCut ? level.ids : [...level.ids, ...ids];
  const age = (id: string): number => threads.get(id)?.created_at_ms ?? 0;
  const byAge = (all: readonly string[]): readonly string[] => all.toSorted((a, b) => age(b) - age(a));
  // What has come to pass a filter may be old, and may be one that a page has left out before.
  if (filter.length > 0) return byAge([...ids.toReversed(), ...level.ids]);
  // An old root comes with its page; a new one that a clock has made older, with the next reading.
  const end = isCut ? age(level.ids.at(-1) ?? '') : 0;
  const roots = ids.filter((id) => age(id) >= end).toReversed();
  if (roots.length === 0) return level.ids;
  const all = [...roots, ...level.ids];
  return age(roots.at(-1) ?? '') >= age(level.ids[0] ?? '') ? all : byAge(all);
}

function withLevel(tree: TreeState, parent: string, level: Level): TreeState {
  return { ...tree, levels: new Map(tree.levels).set(parent, level) };
}
