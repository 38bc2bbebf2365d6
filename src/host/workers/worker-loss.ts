import type { Failure } from '../../core/errors.ts';
import type { WorkerLoss } from './crew.ts';
import type { HostContext } from '../host-context.ts';
import { goOnAfterLoss, takeOut } from './lost-thread.ts';
import type { QuestionHandler } from './questions.ts';
import { reportEmpty } from '../endings/report-empty.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/** Threads seen to in one turn of the event loop: each takes two looks into the database. */
const SLICE = 50;
/** Losses that no thread explains count for so long. */
const WINDOW_MS = 600_000;

/**
 * Sees to what a lost worker leaves (ADR 41): its threads go on in others, so divided that the one that has killed it is
 * found. That one fails once it has lost `restart_intensity` workers alone. When workers are lost without threads, and more
 * than that, the runtime stops. A worker that had to hurry says nothing about its threads, which the next runtime takes up.
 */
export function createWorkerLosses(host: HostContext, questions: QuestionHandler): (loss: WorkerLoss) => void {
  const unexplained: number[] = [];
  const isTooMuch = (): boolean => {
    const now = host.clock.stopwatch();
    unexplained.push(now);
    while ((unexplained[0] ?? now) < now - WINDOW_MS) unexplained.shift();
    return unexplained.length > host.config.resilience.coordination.restartIntensity;
  };
  return (loss) => {
    // Answered after the last that the worker has sent was committed: what is read from then on is all there is.
    host.store.submit({ type: 'remaining', thread: 0 }, () => {
      const all = threadsIn(host, loss.worker);
      // What could not start there has its end just being written, which sees to it.
      const threads = all.filter((entry) => !host.parking.has(entry));
      host.problem(describe(loss, threads));
      forget(host, questions, loss);
      const isBlameless = all.length === 0 || !loss.wasUp;
      if (isBlameless && !loss.wasHurried && isTooMuch())
        return host.tell({ type: 'FAILED', problem: unexplainable(loss) });
      for (const entry of threads) takeOut(host, entry);
      if (!isBlameless && !loss.wasHurried) suspect(threads, loss);
      goOn(host, threads, loss);
      // Not all of them stand in line again, by which their slots would be given to others.
      host.tell({ type: 'SLOT_FREE' });
      reportEmpty(host);
    });
  };
}

function threadsIn({ table }: HostContext, worker: number): ThreadEntry[] {
  const found: ThreadEntry[] = [];
  for (const entry of table.live()) if (entry.worker === worker) found.push(entry);
  return found;
}

/** What was asked of it, and by it, is answered by nobody. */
function forget(host: HostContext, questions: QuestionHandler, { worker, failure }: WorkerLoss): void {
  questions.lost(worker);
  host.questions.lost(worker, failure);
  host.messages.lost(worker, failure);
  host.lastHooks.lost(worker);
  host.inspection?.lost(worker);
}

/** From now on they run apart from all others, and each part in a worker of its own. */
function suspect(threads: readonly ThreadEntry[], loss: WorkerLoss): void {
  const [only] = threads;
  if (only && threads.length === 1) only.lostAlone++;
  for (const part of divide(threads, loss)) {
    const apart = { worker: undefined };
    for (const entry of part) entry.apart = apart;
  }
}

/**
 * The thread that the worker had turned to last is the first one to be suspected, and runs alone. If the others then lose
 * their worker too, it was not that one, and what is left is halved.
 */
function divide(threads: readonly ThreadEntry[], { suspect: marked, wasApart }: WorkerLoss): ThreadEntry[][] {
  const isMarked = ({ lineage }: ThreadEntry, index: number): boolean =>
    // As the mark is: cut to 32 bits.
    wasApart ? index < threads.length / 2 : (lineage.thread | 0) === marked;
  return [threads.filter(isMarked), threads.filter((entry, index) => !isMarked(entry, index))];
}

/** In slices: the host must answer others within 20 ms (architecture). */
function goOn(host: HostContext, lost: readonly ThreadEntry[], loss: WorkerLoss): void {
  for (const entry of lost.slice(0, SLICE)) goOnAfterLoss(host, entry, convict(host, entry, loss));
  if (lost.length > SLICE) setImmediate(() => goOn(host, lost.slice(SLICE), loss));
}

/** Why a thread is to fail; undefined: it may go on. */
function convict({ config }: HostContext, { lostAlone, lineage }: ThreadEntry, loss: WorkerLoss): Failure | undefined {
  if (loss.wasHurried || lostAlone < config.resilience.coordination.restartIntensity) return undefined;
  const times = lostAlone === 1 ? 'a worker' : `${lostAlone} workers, the last time:`;
  return { code: 'worker_lost', message: `Thread ${lineage.threadId} was alone in ${times} ${loss.failure.message}` };
}

function describe({ failure }: WorkerLoss, threads: readonly ThreadEntry[]): Failure {
  const what = threads.length === 1 ? 'its thread goes' : `its ${threads.length} threads go`;
  return { ...failure, message: `${failure.message}; ${what} on from what is stored` };
}

function unexplainable({ failure }: WorkerLoss): Failure {
  const message = `Workers are lost again and again, and no thread is the cause: ${failure.message}`;
  return { code: 'worker_lost', message };
}
