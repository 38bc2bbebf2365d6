import type { Clock } from '../../core/clock.ts';
import { isEnded } from '../../core/ending.ts';
import type { ProjectWindow, WindowThread } from '../../index.ts';
import type { TimelineAnswer, TimelineRow, TimelineSpan, TimelineSummary } from '../api.ts';
import type { Totals } from './totals.ts';

/** What a timeline is made from. */
export type TimelineSources = {
  readonly window: ProjectWindow;
  readonly totals: Totals;
  readonly clock: Pick<Clock, 'now' | 'stopwatch'>;
};

type Open = { readonly thread: WindowThread; readonly depth: number };

/** Children of one thread that get rows of their own, before its siblings' children do. */
const CHILDREN_A_PARENT = 100;

/** When the threads at and below one were there, level by level, at most so many of them. */
export async function readTimeline(
  { root, limit }: { readonly root: string; readonly limit: number },
  { window, totals, clock }: TimelineSources,
): Promise<TimelineAnswer> {
  const nowMs = clock.now();
  const rows: TimelineRow[] = [];
  const summaries: TimelineSummary[] = [];
  const open: Open[] = [{ thread: window.thread(root), depth: 0 }];
  let taken = 1;
  const until = clock.stopwatch() + LOGS_MS;
  for (const { thread, depth } of open) {
    const rowUntil = Math.min(until, clock.stopwatch() + LOG_MS);
    rows.push(await readRow({ thread, depth }, { window, nowMs, isLate: () => clock.stopwatch() > rowUntil }));
    if (thread.children === 0) continue;
    const room = Math.min(CHILDREN_A_PARENT, limit - taken);
    const page = room > 0 ? window.level(thread.id, { limit: room }) : { threads: [], next: thread.id };
    taken += page.threads.length;
    for (const child of page.threads) open.push({ thread: child, depth: depth + 1 });
    if (page.next !== undefined) {
      const { counts, threads } = await totals.of({ parent: thread.id });
      // Totals may be older than the page, which says that there is at least one more.
      const left = Math.max(threads, thread.children, page.threads.length + 1) - page.threads.length;
      summaries.push(summaryOf({ thread, depth: depth + 1, left, counts }, nowMs));
    }
  }
  const from = Math.min(...rows.map(({ start_ms }) => start_ms));
  const to = Math.max(...rows.map(({ end_ms }) => end_ms ?? nowMs));
  return { root, from_ms: from, to_ms: to, rows, summaries };
}

type Left = Open & { readonly left: number; readonly counts: TimelineSummary['counts'] };

/** The counts are those of all children. */
function summaryOf({ thread, depth, left, counts }: Left, nowMs: number): TimelineSummary {
  const end = isEnded(thread.status) ? thread.updatedAtMs : nowMs;
  return { parent: thread.id, depth, threads: left, counts, start_ms: thread.createdAtMs, end_ms: end };
}

type RowSources = {
  readonly window: ProjectWindow;
  readonly nowMs: number;
  /** Whether no more is to be read. */
  readonly isLate: () => boolean;
};

/** How long logs are read for one timeline, milliseconds, and how long one of them: a long one leaves time for the others. */
const LOGS_MS = 1_500;
const LOG_MS = 300;

async function readRow({ thread, depth }: Open, sources: RowSources): Promise<TimelineRow> {
  const { changes, isWhole } = await readChanges(thread, sources);
  const end = isEnded(thread.status) ? thread.updatedAtMs : undefined;
  const life = { start: thread.createdAtMs, end: end ?? sources.nowMs };
  return {
    id: thread.id,
    ...(thread.parentId !== undefined && { parent: thread.parentId }),
    depth,
    directive: thread.directive,
    status: thread.status,
    start_ms: life.start,
    ...(end !== undefined && { end_ms: end }),
    ...(isWhole
      ? { spans: spansOf(life, [...changes, ...leftOver(thread, changes, sources.window)]) }
      : // How long the last state went on is not known.
        { spans: spansOf({ ...life, end: changes.at(-1)?.at ?? life.start }, changes), unread: true }),
  };
}

/** From then on it is in this state. */
type Change = { readonly state: TimelineSpan['state']; readonly at: number };

const CHANGES: ReadonlySet<string> = new Set(['thread_started', 'thread_suspended', 'thread_resumed']);
/** Changes of one thread that are told. */
const MOST_CHANGES = 1_000;

/** What its log says, up to where it could be read. */
async function readChanges(
  { id }: WindowThread,
  { window, isLate }: RowSources,
): Promise<{ readonly changes: readonly Change[]; readonly isWhole: boolean }> {
  const changes: Change[] = [];
  for (let after = 0; changes.length < MOST_CHANGES && !isLate();) {
    const limit = MOST_CHANGES - changes.length;
    const page = await window.log(id, { after, limit, types: CHANGES, keep: () => ({}) });
    changes.push(...page.events.map(toChange));
    if (!page.more) return { changes, isWhole: true };
    ({ after } = page);
  }
  return { changes, isWhole: false };
}

function toChange({ event_type: type, timestamp }: WindowEvent): Change {
  return { state: type === 'thread_suspended' ? 'suspended' : 'running', at: Date.parse(timestamp) };
}

type WindowEvent = Awaited<ReturnType<ProjectWindow['log']>>['events'][number];

/** A runtime that was killed has not written that what it left has stood still since then. */
function leftOver({ id, status }: WindowThread, changes: readonly Change[], window: ProjectWindow): readonly Change[] {
  if (status !== 'suspended' || changes.at(-1)?.state === 'suspended') return [];
  // It may have been resumed since its row was read.
  const now = window.thread(id);
  return now.status === 'suspended' ? [{ state: 'suspended', at: now.updatedAtMs }] : [];
}

type Life = { readonly start: number; readonly end: number };

function spansOf({ start, end }: Life, changes: readonly Change[]): readonly TimelineSpan[] {
  const spans: TimelineSpan[] = [];
  let state: TimelineSpan['state'] = 'queued';
  let from = start;
  const close = (to: number): void => {
    if (to > from) spans.push({ state, from_ms: from, to_ms: to });
    from = Math.max(from, to);
  };
  for (const change of changes) {
    close(Math.min(end, change.at));
    ({ state } = change);
  }
  close(end);
  return spans;
}
