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
    const isLate = clock.stopwatch() > until;
    rows.push(await readRow({ thread, depth }, { window: isLate ? undefined : window, nowMs }));
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
  const to = Math.max(...rows.map(({ end_ms, spans }) => end_ms ?? spans.at(-1)?.to_ms ?? nowMs));
  return { root, from_ms: from, to_ms: to, rows, summaries };
}

type Left = Open & { readonly left: number; readonly counts: TimelineSummary['counts'] };

/** The counts are those of all children. */
function summaryOf({ thread, depth, left, counts }: Left, nowMs: number): TimelineSummary {
  const end = isEnded(thread.status) ? thread.updatedAtMs : nowMs;
  return { parent: thread.id, depth, threads: left, counts, start_ms: thread.createdAtMs, end_ms: end };
}

type RowSources = { readonly window: ProjectWindow | undefined; readonly nowMs: number };

/** How long logs are read for one timeline, milliseconds. */
const LOGS_MS = 1_500;

const TURNS: ReadonlySet<string> = new Set(['thread_started', 'thread_suspended', 'thread_resumed']);

/** Without a window it is not looked at when it was suspended. */
async function readRow({ thread, depth }: Open, { window, nowMs }: RowSources): Promise<TimelineRow> {
  const { events } = (await window?.log(thread.id, { after: 0, limit: 50, types: TURNS })) ?? { events: [] };
  const end = isEnded(thread.status) ? thread.updatedAtMs : undefined;
  return {
    id: thread.id,
    ...(thread.parentId !== undefined && { parent: thread.parentId }),
    depth,
    directive: thread.directive,
    status: thread.status,
    start_ms: thread.createdAtMs,
    ...(end !== undefined && { end_ms: end }),
    spans: spansOf(thread.createdAtMs, events, end ?? nowMs),
  };
}

function spansOf(
  start: number,
  events: readonly { readonly event_type: string; readonly timestamp: string }[],
  end: number,
): readonly TimelineSpan[] {
  const spans: TimelineSpan[] = [];
  let state: TimelineSpan['state'] = 'queued';
  let from = start;
  const close = (to: number): void => {
    if (to > from) spans.push({ state, from_ms: from, to_ms: to });
    from = Math.max(from, to);
  };
  for (const { event_type: type, timestamp } of events) {
    close(Math.min(end, Date.parse(timestamp)));
    state = type === 'thread_suspended' ? 'suspended' : 'running';
  }
  close(end);
  return spans;
}
