import { describe, expect, test } from 'vitest';
import { ALL, ROOT } from '../../api.ts';
import { threadRow, totalsOf } from '../fixtures/thread-row.ts';
import {
  emptyTree,
  readingOf,
  withBatch,
  withExpanded,
  withFailure,
  withFilter,
  withPage as withPageSince,
  withReading,
  type TreeState,
} from './tree-state.ts';
import { openLevels, treeLines } from './tree-rows.ts';

/** A page whose reading began now: the first, or the one that follows. */
const withPage = (tree: TreeState, answer: ReturnType<typeof page>, isFirst: boolean): TreeState =>
  withPageSince(tree, answer, {
    after: isFirst ? undefined : tree.levels.get(answer.parent)?.next,
    since: tree.version,
  });
const idsOf = (tree: TreeState, parent: string = ROOT) => tree.levels.get(parent)?.ids;
const reading = (tree: TreeState) => {
  const level = tree.levels.get(ROOT);
  return level && readingOf(level);
};
const page = (parent: string, ids: readonly string[], next?: string) => ({
  parent,
  totals: totalsOf(ids.length),
  threads: ids.map((id) => threadRow(id, parent === ROOT || parent === ALL ? {} : { parent })),
  ...(next !== undefined && { next }),
});

describe('The tree', () => {
  const roots = withPage(emptyTree(), page(ROOT, ['a', 'b']), true);

  test('takes pages of a level one after the other, and each thread once', () => {
    const first = withPage(roots, page('a', ['c', 'd'], 'd'), true);
    const second = withPage(first, page('a', ['d', 'e']), false);
    expect(idsOf(second, 'a')).toEqual(['c', 'd', 'e']);
    expect(second.levels.get('a')?.next).toBeUndefined();
  });

  test('keeps what has come live while a page was on its way, whatever the clock says', () => {
    const begun = withReading(roots, ROOT);
    const since = begun.version;
    const live = { changed: [threadRow('a', { status: 'completed', updated_at_ms: 1_000 })], levels: [] };
    const tree = withPageSince(withBatch(begun, live), page(ROOT, ['a', 'b']), { after: undefined, since });
    expect(tree.threads.get('a')?.status).toBe('completed');
    const later = { ...page(ROOT, ['a']), threads: [threadRow('a', { status: 'error', updated_at_ms: 500 })] };
    expect(withPage(tree, later, true).threads.get('a')?.status).toBe('error');
  });

  test.each([
    [ROOT, true, ['n', 'a', 'b']],
    ['a', true, ['c', 'd', 'n']],
    ['a', false, ['c', 'd', 'n']],
  ])('keeps a thread of %s that came live while a page was on its way (the first one: %s)', (parent, isFirst, ids) => {
    const before = withPage(withPage(emptyTree(), page(ROOT, ['a', 'b']), true), page('a', ['c'], 'c'), true);
    const begun = withReading(before, parent);
    const changed = [threadRow('n', { created_at_ms: 9_000, ...(parent !== ROOT && { parent }) })];
    const answer = page(parent, parent === ROOT ? ['a', 'b'] : isFirst ? ['c', 'd'] : ['d']);
    const come = { after: isFirst ? undefined : 'c', since: begun.version };
    const tree = withPageSince(withBatch(begun, { changed, levels: [] }), answer, come);
    expect(idsOf(tree, parent)).toEqual(ids);
    expect(idsOf(withPage(tree, page(parent, ['x']), true), parent)).toEqual(['x']);
  });

  test('takes no page of a level that was read again later', () => {
    const first = withReading(roots, ROOT);
    const second = withReading(first, ROOT);
    const read = withPageSince(second, page(ROOT, ['b']), { after: undefined, since: second.version });
    expect(withPageSince(read, page(ROOT, ['a']), { after: undefined, since: first.version })).toEqual(read);
  });

  test('takes no page that follows on what is not its end any more', () => {
    const long = withPage(emptyTree(), page(ROOT, ['a', 'b'], 'b'), true);
    const begun = withReading(long, ROOT);
    const more = withReading(begun, ROOT);
    const read = withPageSince(more, page(ROOT, ['a'], 'a'), { after: undefined, since: begun.version });
    const late = withPageSince(read, page(ROOT, ['c']), { after: 'b', since: more.version });
    expect(late.levels.get(ROOT)).toMatchObject({ ids: ['a'], next: 'a' });
    expect(reading(late)).toBe('no');
  });

  test('is being read until the reading has come, or failed, that is under way last', () => {
    const first = withReading(roots, ROOT);
    const second = withReading(first, ROOT);
    const read = withPageSince(second, page(ROOT, ['a']), { after: undefined, since: first.version });
    const failed = withFailure(read, ROOT, { failed: 'gone', since: first.version });
    expect(reading(failed)).toBe('yes');
    const both = withFailure(failed, ROOT, { failed: 'gone', since: second.version });
    expect(reading(both)).toEqual({ failed: 'gone' });
  });

  test('keeps what came live while a page was on its way, also if a later reading has failed, which is not told then', () => {
    const before = withPage(emptyTree(), page(ROOT, ['a', 'b']), true);
    const first = withReading(before, ROOT);
    const second = withReading(first, ROOT);
    const failed = withFailure(second, ROOT, { failed: 'gone', since: second.version });
    expect(reading(failed)).toBe('yes');
    const live = withBatch(failed, { changed: [threadRow('n', { created_at_ms: 9_000 })], levels: [] });
    const come = { after: undefined, since: first.version };
    const read = withPageSince(live, page(ROOT, ['a', 'b']), come);
    expect(idsOf(read)).toEqual(['n', 'a', 'b']);
    expect(reading(read)).toBe('no');
  });

  test('keeps what came live while a reading is on its way that began before another page came', () => {
    const before = withPage(emptyTree(), page(ROOT, ['a'], 'a'), true);
    const first = withReading(before, ROOT);
    const more = withReading(first, ROOT);
    const live = withBatch(more, { changed: [threadRow('n', { created_at_ms: 9_000 })], levels: [] });
    const longer = withPageSince(live, page(ROOT, ['b']), { after: 'a', since: more.version });
    expect(reading(longer)).toBe('yes');
    const read = withPageSince(longer, page(ROOT, ['a', 'b']), { after: undefined, since: first.version });
    expect(idsOf(read)).toEqual(['n', 'a', 'b']);
  });

  test('tells nothing of a reading that failed too late for its page to be taken', () => {
    const first = withReading(roots, ROOT);
    const second = withReading(first, ROOT);
    const read = withPageSince(second, page(ROOT, ['a']), { after: undefined, since: second.version });
    expect(reading(read)).toBe('no');
    expect(reading(withFailure(read, ROOT, { failed: 'gone', since: first.version }))).toBe('no');
  });

  test('remembers what comes live only while a level is being read', () => {
    const changed = [threadRow('n')];
    const quiet = withBatch(withPage(emptyTree(), page(ROOT, ['a', 'b']), true), { changed, levels: [] });
    expect(quiet.levels.get(ROOT)).toMatchObject({ ids: ['n', 'a', 'b'], came: [] });
    const begun = withReading(quiet, ROOT);
    const other = withBatch(begun, { changed: [threadRow('o')], levels: [] });
    expect(other.levels.get(ROOT)?.came).toEqual([{ id: 'o', at: other.version }]);
    expect(
      withReading(withPageSince(other, page(ROOT, ['a']), { after: undefined, since: begun.version }), ROOT).levels.get(
        ROOT,
      )?.came,
    ).toEqual([]);
  });

  test('takes the first page again instead of what was there', () => {
    expect(idsOf(withPage(roots, page(ROOT, ['x']), true))).toEqual(['x']);
  });

  test('puts new roots first, the newest on top', () => {
    const changed = [threadRow('n1', { created_at_ms: 5_000 }), threadRow('n2', { created_at_ms: 6_000 })];
    expect(idsOf(withBatch(roots, { changed, levels: [] }))).toEqual(['n2', 'n1', 'a', 'b']);
  });

  test.each([
    ['above its end, since older ones come with their page', 'b', ['n', 'a', 'm', 'b']],
    ['wherever they belong once all are there', undefined, ['n', 'a', 'm', 'b', 'o']],
  ])('puts roots that it hears of for the first time where they are by their age: %s', (_, next, ids) => {
    const row = (id: string, createdAtMs: number) => threadRow(id, { created_at_ms: createdAtMs });
    const answer = { ...page(ROOT, [], next), threads: [row('a', 4_000), row('b', 2_000)] };
    const live = { changed: [row('o', 1_000), row('m', 3_000), row('n', 5_000)], levels: [] };
    expect(idsOf(withBatch(withPage(emptyTree(), answer, true), live))).toEqual(ids);
    const begun = withReading(emptyTree(), ROOT);
    const come = { after: undefined, since: begun.version };
    expect(idsOf(withPageSince(withBatch(begun, live), answer, come))).toEqual(ids);
  });

  test.each([
    ['last', undefined, ['c', 'n']],
    ['not at all while there are pages before it', 'c', ['c']],
  ])('puts a new child %s', (_, next, ids) => {
    const tree = withPage(roots, page('a', ['c'], next), true);
    const changed = [threadRow('n', { parent: 'a', created_at_ms: 9_000 })];
    expect(idsOf(withBatch(tree, { changed, levels: [] }), 'a')).toEqual(ids);
  });

  test('keeps threads of levels that are not read for when they are needed', () => {
    const tree = withBatch(roots, { changed: [threadRow('x', { parent: 'b' })], levels: [] });
    expect(idsOf(tree, 'b')).toBeUndefined();
    expect(tree.threads.has('x')).toBe(true);
  });

  test('lets in what passes its filter only', () => {
    const tree = withPage(withFilter(emptyTree(), ['error']), page(ALL, []), true);
    const changed = [threadRow('ok'), threadRow('bad', { status: 'error' })];
    expect(idsOf(withBatch(tree, { changed, levels: [] }), ALL)).toEqual(['bad']);
  });

  test('has no thread that left it while a page was on its way', () => {
    const begun = withReading(withFilter(emptyTree(), ['running']), ALL);
    const changed = [threadRow('b', { status: 'completed' })];
    const since = begun.version;
    const tree = withPageSince(withBatch(begun, { changed, levels: [] }), page(ALL, ['a', 'b']), {
      after: undefined,
      since,
    });
    expect(idsOf(tree, ALL)).toEqual(['a']);
    const come = withBatch(begun, { changed: [threadRow('c')], levels: [] });
    const gone = withBatch(come, { changed: [threadRow('c', { status: 'completed' })], levels: [] });
    expect(idsOf(withPageSince(gone, page(ALL, ['a']), { after: undefined, since }), ALL)).toEqual(['a']);
  });

  test('lets out what no longer passes its filter', () => {
    const begun = withPage(withFilter(emptyTree(), ['running']), page(ALL, ['a', 'b']), true);
    const tree = withBatch(begun, { changed: [threadRow('a', { status: 'completed' })], levels: [] });
    expect([idsOf(tree, ALL), tree.threads.get('a')?.status]).toEqual([['b'], 'completed']);
  });

  test('lets in what comes to pass its filter, once', () => {
    const read = withPage(withFilter(emptyTree(), ['error']), page(ALL, []), true);
    const running = withBatch(read, { changed: [threadRow('a')], levels: [] });
    const failed = { changed: [threadRow('a', { status: 'error' })], levels: [] };
    const tree = withBatch(running, failed);
    expect([idsOf(running, ALL), idsOf(tree, ALL)]).toEqual([[], ['a']]);
    expect(withBatch(tree, failed).levels).toBe(tree.levels);
  });

  test.each([
    ['when that page is there', true],
    ['while that page is on its way', false],
  ])('lets in what comes to pass its filter again, and of whose leaving only a page has told: %s', (_, isRead) => {
    const error = { changed: [threadRow('b', { status: 'error' })], levels: [] };
    const before = withPage(withFilter(emptyTree(), ['error']), page(ALL, []), true);
    const begun = withReading(withBatch(before, error), ALL);
    const read = (tree: TreeState) => withPageSince(tree, page(ALL, []), { after: undefined, since: begun.version });
    expect(idsOf(read(begun), ALL)).toEqual([]);
    expect(idsOf(isRead ? withBatch(read(begun), error) : read(withBatch(begun, error)), ALL)).toEqual(['b']);
  });

  test('has a thread once that came, went and came again while a page was on its way', () => {
    const begun = withReading(withFilter(emptyTree(), ['error']), ALL);
    const tree = (['error', 'running', 'error'] as const).reduce(
      (tree, status) => withBatch(tree, { changed: [threadRow('a', { status })], levels: [] }),
      begun,
    );
    expect(idsOf(withPageSince(tree, page(ALL, []), { after: undefined, since: begun.version }), ALL)).toEqual(['a']);
  });

  test.each([
    undefined,
    // Before its next page it may have looked at newer ones as well that stood otherwise then.
    'a',
  ])('puts what comes to pass its filter, of whatever level, where it is by its age (its next page: %s)', (next) => {
    const row = (id: string, createdAtMs: number, parent?: string) =>
      threadRow(id, { status: 'error', created_at_ms: createdAtMs, ...(parent !== undefined && { parent }) });
    const threads = [row('b', 3_000, 'p'), row('a', 1_000)];
    const read = withPage(withFilter(emptyTree(), ['error']), { ...page(ALL, [], next), threads }, true);
    const tree = withBatch(read, { changed: [row('newer', 4_000), row('old', 2_000, 'q')], levels: [] });
    expect(idsOf(tree, ALL)).toEqual(['newer', 'b', 'old', 'a']);
  });

  test('keeps what came to pass its filter where it is by its age when the page comes that it is before', () => {
    const row = (id: string, createdAtMs: number) => threadRow(id, { status: 'error', created_at_ms: createdAtMs });
    const read = withPage(
      withFilter(emptyTree(), ['error']),
      { ...page(ALL, [], 'd'), threads: [row('d', 4_000)] },
      true,
    );
    const came = withBatch(read, { changed: [row('a', 1_000)], levels: [] });
    const longer = withPage(came, { ...page(ALL, []), threads: [row('c', 3_000), row('b', 2_000)] }, false);
    expect(idsOf(longer, ALL)).toEqual(['d', 'c', 'b', 'a']);
  });

  test('begins anew with another choice, but for what is known of threads', () => {
    const tree = withFilter(withExpanded(roots, 'a', true), ['error']);
    expect([...tree.levels.keys()]).toEqual([ALL]);
    expect(tree).toMatchObject({ filter: ['error'], expanded: new Set(), threads: roots.threads });
    expect([...withFilter(tree, []).levels.keys()]).toEqual([ROOT]);
  });

  test('keeps its levels as they are when only values change', () => {
    const tree = withBatch(roots, { changed: [threadRow('a', { turns: 9 })], levels: [] });
    expect(tree.levels).toBe(roots.levels);
    expect(tree.version).toBeGreaterThan(roots.version);
    expect(tree.threads.get('a')?.turns).toBe(9);
  });

  test('takes the totals of levels it shows', () => {
    const tree = withBatch(roots, { changed: [], levels: [{ parent: ROOT, totals: totalsOf(7) }] });
    expect(tree.levels.get(ROOT)?.totals?.threads).toBe(7);
  });
});

describe('The lines of the tree', () => {
  const roots = withPage(emptyTree(), page(ROOT, ['a', 'b']), true);

  test('are the open threads, depth first, with their place in the level', () => {
    const tree = withExpanded(withPage(roots, page('a', ['c']), true), 'a', true);
    expect(treeLines(tree)).toEqual([
      { kind: 'thread', id: 'a', depth: 1, position: 1, size: 2 },
      { kind: 'thread', id: 'c', depth: 2, position: 1, size: 1 },
      { kind: 'thread', id: 'b', depth: 1, position: 2, size: 2 },
    ]);
    expect(treeLines(withExpanded(tree, 'a', false))).toHaveLength(2);
  });

  test('say what a large level comes to, and what is left of it', () => {
    const large = { ...page('a', ['c'], 'c'), totals: totalsOf(10_000) };
    const tree = withExpanded(withPage(roots, large, true), 'a', true);
    expect(treeLines(tree).map((line) => line.kind)).toEqual(['thread', 'totals', 'thread', 'more', 'thread']);
    expect(treeLines(tree)[3]).toMatchObject({ id: 'a', left: 9_999 });
  });

  test('are one list with a filter, which says how many more stand so, and is followed', () => {
    const totals = { ...totalsOf(10_000), counts: { running: 9_000, error: 3, cancelled: 4 } };
    const failed = [threadRow('c', { parent: 'a', status: 'error', children: 2 })];
    const filtered = withFilter(withExpanded(roots, 'a', true), ['error', 'cancelled']);
    const tree = withPage(filtered, { ...page(ALL, [], 'c'), threads: failed, totals }, true);
    expect(treeLines(tree)).toMatchObject([
      { kind: 'thread', id: 'c', depth: 1, position: 1, size: 7 },
      { kind: 'more', id: ALL, left: 6 },
    ]);
    expect(openLevels(tree, 50)).toEqual({ followed: [ALL], others: [] });
  });

  test('say that a level is being read', () => {
    expect(treeLines(withReading(emptyTree(), ROOT)).map((line) => line.kind)).toEqual(['more']);
  });

  test.each([
    [50, [ROOT, 'c', 'a'], []],
    [2, [ROOT, 'a'], ['c']],
    [1, [ROOT], ['c', 'a']],
  ])('name the levels to be told of, %i at most: those that were opened last, closed ones left out', (...row) => {
    const [most, followed, others] = row;
    const read = ['a', 'b', 'c'].reduce((tree, id) => withPage(tree, page(id, []), true), roots);
    const opened = ['a', 'c', 'b'].reduce((tree, id) => withExpanded(tree, id, true), read);
    const again = withExpanded(withExpanded(withExpanded(opened, 'b', false), 'a', false), 'a', true);
    expect(openLevels(again, most)).toEqual({ followed, others });
  });

  test('name no open level below a closed one', () => {
    const read = withPage(withPage(roots, page('a', ['c']), true), page('c', []), true);
    const open = withExpanded(withExpanded(read, 'a', true), 'c', true);
    expect(openLevels(open, 50).followed).toEqual([ROOT, 'a', 'c']);
    expect(openLevels(withExpanded(open, 'a', false), 50)).toEqual({ followed: [ROOT], others: [] });
  });
});
