import type { Clock, Timer } from '../../core/clock.ts';
import type { Cost } from '../../core/limits.ts';
import type { WaitedThread } from '../../core/protocol.ts';
import { attempt, type Result } from '../../core/result.ts';
import { latestOf } from '../latest.ts';
import type { ThreadEntry, ThreadTable } from '../rest/thread-table.ts';
import { addWaiter } from './waiters.ts';

/** A wait for several threads. */
export type WaitOrder = {
  readonly threadIds: readonly string[];
  /** Milliseconds for all of them together; undefined = no deadline. */
  readonly timeoutMs: number | undefined;
  /** `all`: until each has ended or is suspended. `first`: until one has. `failFast`: until one has failed. */
  readonly until: 'all' | 'first' | 'failFast';
  /** Told of the first that has failed, whatever the wait does then; at once if it has already. */
  failed?(first: ThreadEntry): void;
  /** Called once: with one entry per id in the order asked, or with why a thread can't be read. */
  done(answer: WaitAnswer): void;
};

/** What is heard of those who were waited for. */
export type WaitAnswer = Result<readonly WaitedThread[]>;

/** What waiting needs. */
export type WaitSources = {
  /** Its `byId` finds every thread that has not ended. */
  readonly table: Pick<ThreadTable, 'byId' | 'keep' | 'rest'>;
  readonly clock: Clock;
  /** How a thread stands that the table has forgotten: from the store. */
  readonly recall: (threadId: string) => WaitedThread;
  /** Whether one that is suspended is yet to be taken up after the end of an earlier runtime; default: none is. */
  readonly isAhead?: (entry: ThreadEntry) => boolean;
  /** True once nothing changes any more: who is woken then stops waiting, and what has not ended is suspended. */
  readonly isStopped: () => boolean;
};

/** A wait, as whoever asked for it has it. */
export interface OngoingWait {
  /** Ends it; it gives no answer from then on. */
  giveUp(): void;
}

/**
 * Waits for threads, with one deadline for all. A suspended thread counts as there, with status `suspended`: it may wait
 * for a person, and whoever waits for it should hear that; one that goes on before the wait is over is waited for again.
 * So is, from its hand-over on, whoever takes over from one; it is reported in its place.
 * Threads that are not there are reported as `timeout` after the deadline, else as `running`.
 */
export class Wait implements OngoingWait {
  readonly #order: WaitOrder;
  readonly #sources: WaitSources;
  readonly #threadIds: readonly string[];
  /** For each id who is waited for; nobody for one that is not in memory. */
  readonly #asked: readonly (Waited | undefined)[];
  /** The same, each once. */
  readonly #waited: readonly Waited[];
  /** How many of them had something to do when they were last looked at. */
  #open = 0;
  #timer: Timer | undefined;
  #isTold = false;
  #isOver = false;

  /** Nothing is waited for before {@link Wait.begin}. */
  constructor(order: WaitOrder, sources: WaitSources) {
    this.#order = order;
    this.#sources = sources;
    this.#threadIds = order.threadIds;
    const waited = new Map<ThreadEntry, Waited>();
    this.#asked = order.threadIds.map((id) => addOnce(waited, sources.table.byId(id)));
    this.#waited = [...waited.values()];
  }

  /** Waits; what is over already is answered at once. */
  begin(): void {
    for (const { entry } of this.#waited) this.#tellFailed(entry);
    // Whoever hears of a failure may give it up.
    if (this.#isOver) return;
    // Nobody would wake it any more.
    if (this.#sources.isStopped()) return this.#finish('suspended');
    const isOver = attempt(() => this.#isOverAlready());
    if (!isOver.ok) return this.#order.done(isOver);
    if (isOver.value) return this.#finish('running');
    for (const one of this.#waited) if (one.entry.phase !== 'ended') this.#listen(one);
    const { timeoutMs } = this.#order;
    if (timeoutMs === undefined) return;
    this.#timer = this.#sources.clock.setTimer(timeoutMs, () => this.#finish('timeout'));
  }

  giveUp(): void {
    const { table, clock } = this.#sources;
    this.#isOver = true;
    if (this.#timer !== undefined) clock.clearTimer(this.#timer);
    this.#timer = undefined;
    for (const one of this.#waited) {
      const { entry, wake } = one;
      if (!wake) continue;
      one.wake = undefined;
      entry.waiters?.delete(wake);
      table.rest(entry);
    }
  }

  #finish(late: WaitedThread['status']): void {
    this.giveUp();
    const { recall } = this.#sources;
    const costOf = spending(recall);
    const results = (): WaitedThread[] =>
      this.#threadIds.map((id, index) => {
        const entry = this.#asked[index]?.entry;
        if (!entry) return recall(id);
        return report(entry, { costOf, late: this.#isSettled(entry) ? 'suspended' : late });
      });
    // Nobody who wakes it, and no timer, is to meet what a database that can't be read throws.
    this.#order.done(attempt(results));
  }

  #isOverAlready(): boolean {
    return this.#isForgottenEnough() || this.#waited.some(({ entry }) => this.#isEnough(entry)) || this.#areAllThere();
  }

  /** Whether a thread that is not in memory, and so is there or unknown, ends the wait. */
  #isForgottenEnough(): boolean {
    const { until } = this.#order;
    const { recall } = this.#sources;
    if (until === 'all') return false;
    const isEnough = (id: string): boolean => until === 'first' || FAILED.has(recall(id).status);
    return this.#threadIds.some((id, index) => !this.#asked[index] && isEnough(id));
  }

  /** Looks at everybody only when the last one is there: some may have gone on since. */
  #areAllThere(): boolean {
    if (this.#open > 0) return false;
    for (const one of this.#waited) {
      one.isOpen = !this.#isSettled(one.entry);
      if (one.isOpen) this.#open++;
    }
    return this.#open === 0;
  }

  #isEnough(entry: ThreadEntry): boolean {
    const { until } = this.#order;
    return (until === 'first' && this.#isSettled(entry)) || (until === 'failFast' && hasFailed(entry));
  }

  #isSettled(entry: ThreadEntry): boolean {
    return isSettled(entry) && (entry.phase === 'ended' || !this.#sources.isAhead?.(entry));
  }

  #tellFailed(entry: ThreadEntry): void {
    if (this.#isTold || !hasFailed(entry)) return;
    this.#isTold = true;
    this.#order.failed?.(entry);
  }

  #changed(one: Waited): void {
    // Whoever wakes several waiters may come to one that is done.
    if (this.#isOver) return;
    one.entry = latestOf(one.entry);
    const { entry } = one;
    if (one.isOpen && this.#isSettled(entry)) {
      one.isOpen = false;
      this.#open--;
    }
    this.#tellFailed(entry);
    if (this.#isOver) return;
    if (this.#sources.isStopped()) this.#finish('suspended');
    else if (this.#isEnough(entry) || this.#areAllThere()) this.#finish('running');
    else if (entry.phase !== 'ended') this.#listen(one);
  }

  #listen(one: Waited): void {
    one.wake ??= () => this.#changed(one);
    addWaiter(this.#sources.table, one.entry, one.wake);
  }
}

/**
 * A thread that is waited for, or who took over from it meanwhile; `isOpen`: it had something to do when it was last looked at.
 */
type Waited = { entry: ThreadEntry; isOpen: boolean; wake: (() => void) | undefined };

function addOnce(waited: Map<ThreadEntry, Waited>, entry: ThreadEntry | undefined): Waited | undefined {
  if (!entry) return undefined;
  const one: Waited = waited.get(entry) ?? { entry, isOpen: false, wake: undefined };
  waited.set(entry, one);
  return one;
}

/** Endings that are no success, of threads that only the store knows. */
const FAILED: ReadonlySet<WaitedThread['status']> = new Set(['error', 'cancelled', 'not_found']);

/** One whose resumption is being written goes on; who waits for it is woken if it does not. */
function isSettled({ phase, resuming }: ThreadEntry): boolean {
  return phase === 'ended' || (phase === 'suspended' && !resuming);
}

function hasFailed({ phase, ending }: ThreadEntry): boolean {
  return phase === 'ended' && ending?.status !== 'completed' && ending?.status !== 'continued';
}

type CostOf = (entry: ThreadEntry) => Cost | undefined;

/** Most rows that one wait reads for what those have used that are not there: they may be thousands, in one turn. */
const MOST_READ = 250;

/** What a thread in memory has used: a suspended one is known to, of another one its row says it, if that can be read. */
function spending(recall: WaitSources['recall']): CostOf {
  let left = MOST_READ;
  return ({ phase, lastCost, lineage }) => {
    if (phase === 'suspended' && lastCost) return lastCost;
    if (left-- <= 0) return undefined;
    const row = attempt(() => recall(lineage.threadId));
    return row.ok ? row.value.cost : undefined;
  };
}

type Reporting = { readonly costOf: CostOf; readonly late: WaitedThread['status'] };

function report(entry: ThreadEntry, { costOf, late }: Reporting): WaitedThread {
  const { threadId } = entry.lineage;
  if (entry.ending) return { threadId, status: entry.ending.status, ending: entry.ending };
  // Those that still run when the first is there may be thousands, each time: their rows are not read.
  if (late === 'running') return { threadId, status: late, ending: undefined };
  const cost = costOf(entry);
  const spent = cost && { cost };
  if (late !== 'suspended') return { threadId, status: late, ending: undefined, ...spent };
  return { threadId, status: 'suspended', ending: undefined, ...spent, suspendReason: entry.suspendReason };
}
