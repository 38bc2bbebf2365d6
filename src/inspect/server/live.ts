import type { Clock, Timer } from '../../core/clock.ts';
import { toFailure, type Failure } from '../../core/errors.ts';
import type { Follower, ProjectConnection, ProjectWindow, Shown, WindowPlace } from '../../index.ts';
import { ALL, BATCHES_PER_SECOND, ROOT, type LevelTotals, type LiveBatch } from '../api.ts';
import { toPlace, toRow } from './to-wire.ts';
import type { Totals } from './totals.ts';
import type { Viewer } from './viewer.ts';
import { createWordsTeller } from './words-teller.ts';

/** What a viewer looks at. */
export type Watched = {
  readonly levels: readonly string[];
  readonly thread?: string | undefined;
  /** Where the log of the open thread is followed from; undefined: its end. */
  readonly after?: number | undefined;
  /** Where the project is followed from; undefined: from now on. */
  readonly from?: WindowPlace | undefined;
};

/** What the live view works with. */
export type LiveViewSources = {
  /** The project as it is reached now. */
  readonly reach: () => Promise<{ readonly connection: ProjectConnection; readonly totals: Totals }>;
  readonly clock: Clock;
  readonly problem: (failure: Failure) => void;
};

/** Threads of one batch. */
const MOST_CHANGED = 500;
/** Events of the open thread in one message. */
const MOST_EVENTS = 200;
const PERIOD_MS = 1000 / BATCHES_PER_SECOND;
/** A look takes at most this part of the time, without what it waits for the runtime. */
const REST_PER_EFFORT = 10;
const PING_MS = 15_000;
/** Between two times that a viewer is told to read all again. */
const CUT_REST_MS = 2_000;

/**
 * Tells a viewer what changes of what it looks at, until it has left. What is stored is read at most so often; a viewer that
 * does not read costs nothing: nothing is read for it.
 */
export function watchLive(viewer: Viewer, watched: Watched, sources: LiveViewSources): void {
  const { clock } = sources;
  // For the runtime, in the look that is being taken.
  let waitedMs = 0;
  const waitFor = async <Answer>(asked: Promise<Answer>): Promise<Answer> => {
    const begun = clock.stopwatch();
    try {
      return await asked;
    } finally {
      waitedMs += clock.stopwatch() - begun;
    }
  };
  const look = createLook(viewer, watched, { ...sources, waitFor });
  let timer: Timer | undefined;
  let quietSince = clock.stopwatch();
  const tick = async (): Promise<void> => {
    const begun = clock.stopwatch();
    waitedMs = 0;
    try {
      if (viewer.isFull()) viewer.skip();
      else if (await look()) quietSince = begun;
    } catch (thrown) {
      sources.problem(toFailure(thrown));
      return viewer.close();
    }
    if (viewer.gone.aborted) return;
    if (clock.stopwatch() - quietSince >= PING_MS) {
      viewer.ping();
      quietSince = clock.stopwatch();
    }
    const rest = Math.max(PERIOD_MS, REST_PER_EFFORT * (clock.stopwatch() - begun - waitedMs));
    // It ends its own failures.
    timer = clock.setTimer(rest, () => void tick());
  };
  viewer.gone.addEventListener('abort', () => timer !== undefined && clock.clearTimer(timer), { once: true });
  // As above.
  void tick();
}

type Followed = {
  readonly connection: ProjectConnection;
  readonly window: ProjectWindow;
  readonly totals: Totals;
  readonly follower: Follower;
  readonly told: Map<string, LevelTotals>;
  /** As told; undefined: not yet. */
  pendingApprovals: number | undefined;
};

/** `waitFor`: waits for what the runtime says. */
type LookSources = LiveViewSources & { readonly waitFor: <Answer>(asked: Promise<Answer>) => Promise<Answer> };

/** Makes what is done each time; true if something was said. */
function createLook(viewer: Viewer, watched: Watched, { reach, clock, waitFor }: LookSources): () => Promise<boolean> {
  let followed: Followed | undefined;
  let after = watched.after;
  const words = createWordsTeller(viewer);
  const cuts = createCuts(clock);

  const follow = async (): Promise<{ readonly now: Followed; readonly isNew: boolean }> => {
    const { connection, totals } = await reach();
    if (followed?.connection === connection) return { now: followed, isNew: false };
    const { window } = connection;
    const levels = watched.levels.filter((level) => level !== ALL).map((level) => (level === ROOT ? undefined : level));
    // A runtime that was quiet has closed its connection; the next one goes on where that one was. Nothing else closes one
    // than that a runtime has come or gone.
    const before = followed?.connection.isRun && connection.isRun ? followed : undefined;
    // Where a runtime has come or gone, `hello` has all read again.
    const from = followed ? before?.follower.upTo() : watched.from;
    const follower = window.follow({ levels, all: watched.levels.includes(ALL), thread: watched.thread }, from);
    const told = before ?? { told: new Map(), pendingApprovals: undefined };
    followed = { ...told, connection, window, totals, follower };
    return { now: followed, isNew: !before };
  };
  const tellLog = async ({ window }: Followed, thread: string): Promise<boolean> => {
    const page = await window.log(thread, { after: after ?? 0, limit: MOST_EVENTS });
    if (page.events.length > 0 && !viewer.gone.aborted) viewer.send({ type: 'log', id: thread, events: page.events });
    words.logged(page.events);
    after = page.after;
    return page.more;
  };
  let isLogOpen = false;
  return async () => {
    const { now, isNew } = await follow();
    const { isRun } = now.connection;
    if (isNew) viewer.send({ type: 'hello', is_run: isRun, at_ms: clock.now(), up_to: toPlace(now.follower.upTo()) });
    const news = now.follower.news(MOST_CHANGED);
    const { thread } = news.shown;
    // The log of one that is not there yet is told from its beginning.
    after ??= thread === undefined ? 0 : (await now.window.log(thread, { limit: 1 })).after;
    // Before the log: an answer that is in it is not told of as if it was still coming.
    const isSpoken = thread !== undefined && (await waitFor(words.tell(now.connection, thread)));
    const isLogDue = isLogOpen || isNew || news.threads.some(({ id }) => id === thread);
    isLogOpen = thread !== undefined && isLogDue && (await tellLog(now, thread));
    // A new one is told them at once: they may have changed since its page heard of them last.
    const totals = await changedTotals(now, news.shown, news.isNews);
    const batch: LiveBatch = {
      type: 'threads',
      at_ms: clock.now(),
      changed: news.threads.map(toRow),
      more: news.more,
      up_to: toPlace(now.follower.upTo()),
      levels: [],
      ...totals,
    };
    const isSaid = batch.changed.length > 0 || batch.more > 0 || Object.keys(totals).length > 0;
    if (isSaid && !viewer.gone.aborted) viewer.send(batch);
    if (cuts.isDue(news.isCut)) viewer.send({ type: 'dropped', messages: 0, at_ms: clock.now() });
    return isSaid || isNew || isLogOpen || isSpoken;
  };
}

/** While trees are archived each look is cut, for minutes: a viewer reads all again, but not at each of them. */
function createCuts({ stopwatch }: Pick<Clock, 'stopwatch'>): { readonly isDue: (isCut: boolean) => boolean } {
  let isOwed = false;
  let toldAt = Number.NEGATIVE_INFINITY;
  return {
    isDue(isCut) {
      isOwed ||= isCut;
      if (!isOwed || stopwatch() - toldAt < CUT_REST_MS) return false;
      isOwed = false;
      toldAt = stopwatch();
      return true;
    },
  };
}

/** Totals that are other ones than the viewer was told. */
async function changedTotals(
  now: Followed,
  shown: Shown,
  isNews: boolean,
): Promise<Pick<LiveBatch, 'totals' | 'pending_approvals'> & Partial<Pick<LiveBatch, 'levels'>>> {
  const { window, totals, told, pendingApprovals: before } = now;
  const changed: { parent: string; totals: LevelTotals }[] = [];
  for (const level of shown.levels) {
    const next = await totals.of(level === undefined ? 'roots' : { parent: level });
    const parent = level ?? ROOT;
    if (isOther(told.get(parent), next)) changed.push({ parent, totals: next });
    told.set(parent, next);
  }
  const all = await totals.of('all');
  const isOtherAll = isOther(told.get(ALL), all);
  if (isOtherAll && shown.all) changed.push({ parent: ALL, totals: all });
  told.set(ALL, all);
  const pending = before === undefined || isNews ? window.pendingApprovals() : before;
  now.pendingApprovals = pending;
  return {
    ...(changed.length > 0 && { levels: changed }),
    ...(isOtherAll && { totals: all }),
    ...(pending !== before && { pending_approvals: pending }),
  };
}

function isOther(told: LevelTotals | undefined, next: LevelTotals): boolean {
  if (!told) return true;
  return JSON.stringify({ ...told, as_of_ms: 0 }) !== JSON.stringify({ ...next, as_of_ms: 0 });
}
