import { ROOT, type ApiStatus, type LevelAnswer, type LevelTotals, type LiveBatch, type ThreadRow } from '../../api.ts';

/** A level of the tree as far as it was read: children of a thread, or the roots. */
export type Level = {
  readonly ids: readonly string[];
  readonly totals: LevelTotals | undefined;
  /** Where the next page begins, if there is one. */
  readonly next: string | undefined;
  /** `failed`: why the last page is not there. */
  readonly reading: 'no' | 'yes' | { readonly failed: string };
};

/** The tree as the page knows it. Changed by making another one, except for `threads`, which only ever gains and replaces. */
export type TreeState = {
  /** Every thread that was heard of. Changed in place: copying 10,000 of them for each batch costs more than drawing. */
  readonly threads: Map<string, ThreadRow>;
  readonly levels: ReadonlyMap<string, Level>;
  readonly expanded: ReadonlySet<string>;
  /** Only threads that stand so are read; empty: all. */
  readonly filter: readonly ApiStatus[];
  /** Grows with every change of `threads`, so that rows know when to be drawn again. */
  readonly version: number;
};

const UNREAD: Level = { ids: [], totals: undefined, next: undefined, reading: 'no' };

/** Nothing read yet. */
export function emptyTree(filter: readonly ApiStatus[] = []): TreeState {
  return { threads: new Map(), levels: new Map([[ROOT, UNREAD]]), expanded: new Set(), filter, version: 0 };
}

/** A page of a level has been asked for, or has not come. */
export function withReading(tree: TreeState, parent: string, reading: Level['reading']): TreeState {
  return withLevel(tree, parent, { ...(tree.levels.get(parent) ?? UNREAD), reading });
}

/** A page has come: the first one replaces the level, another one follows what is there. */
export function withPage(tree: TreeState, page: LevelAnswer, isFirst: boolean): TreeState {
  const before = isFirst ? [] : (tree.levels.get(page.parent)?.ids ?? []);
  for (const thread of page.threads) {
    // What came live meanwhile is newer than a page that was on its way.
    const known = tree.threads.get(thread.id);
    if (!known || known.updated_at_ms <= thread.updated_at_ms) tree.threads.set(thread.id, thread);
  }
  const ids = [...new Set([...before, ...page.threads.map(({ id }) => id)])];
  const level: Level = { ids, totals: page.totals, next: page.next, reading: 'no' };
  return withLevel({ ...tree, version: tree.version + 1 }, page.parent, level);
}

/** Opens or closes a thread's children. */
export function withExpanded(tree: TreeState, id: string, open: boolean): TreeState {
  const expanded = new Set(tree.expanded);
  if (open) expanded.add(id);
  else expanded.delete(id);
  return { ...tree, expanded };
}

/**
 * What a batch tells. A thread that is new in a level that is read goes where reading the level again would put it: roots
 * first, children last, and those only if the level's end is there. With a filter new ones come only if they pass it.
 */
export function withBatch(tree: TreeState, batch: Pick<LiveBatch, 'changed' | 'levels'>): TreeState {
  const fresh = batch.changed.filter((thread) => !tree.threads.has(thread.id) && passes(tree, thread));
  for (const thread of batch.changed) tree.threads.set(thread.id, thread);
  const levels = new Map(tree.levels);
  for (const [parent, threads] of Map.groupBy(fresh, (thread) => thread.parent ?? ROOT)) {
    const level = levels.get(parent);
    if (level) levels.set(parent, { ...level, ids: joined(parent, level, threads) });
  }
  for (const { parent, totals } of batch.levels) {
    const level = levels.get(parent);
    if (level) levels.set(parent, { ...level, totals });
  }
  const same = fresh.length === 0 && batch.levels.length === 0;
  return { ...tree, levels: same ? tree.levels : levels, version: tree.version + 1 };
}

function passes({ filter }: TreeState, { status }: ThreadRow): boolean {
  return filter.length === 0 || filter.includes(status);
}

function joined(parent: string, level: Level, fresh: readonly ThreadRow[]): readonly string[] {
  const known = new Set(level.ids);
  const ids = fresh
    .toSorted((a, b) => a.created_at_ms - b.created_at_ms || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id)
    .filter((id) => !known.has(id));
  if (parent === ROOT) return [...ids.toReversed(), ...level.ids];
  return level.next === undefined ? [...level.ids, ...ids] : level.ids;
}

function withLevel(tree: TreeState, parent: string, level: Level): TreeState {
  return { ...tree, levels: new Map(tree.levels).set(parent, level) };
}
