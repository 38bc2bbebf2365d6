import { setImmediate } from 'node:timers/promises';
import { doneWithin } from '../../core/done-within.ts';
import { isEnded, type ThreadStatus } from '../../core/ending.ts';
import { fromFailure } from '../../core/errors.ts';
import type { ThreadNo } from '../../core/ids.ts';
import { failed, ok } from '../../core/result.ts';
import type { WorkerView } from '../runtime.ts';
import type { ControlClient } from '../workers/control-client.ts';
import type { OperationRefusal } from '../../core/operations.ts';
import type { WaitedThread } from '../../core/protocol.ts';
import type { ThreadRow } from '../../core/store.ts';
import { askHandOver } from '../endings/ask-hand-over.ts';
import { beingCancelled } from '../endings/cancelled-tree.ts';
import { statusOf, suspendByUser, untilRested } from '../handle/create-handle.ts';
import { askToResume } from '../rest/ask-to-resume.ts';
import { findEntry } from '../rest/find-entry.ts';
import { withBelow } from '../rest/interrupted.ts';
import { forkOrder } from '../project/fork.ts';
import type { HostContext } from '../host-context.ts';
import { createNews, NO_NEWS } from '../handle/news.ts';
import { stoppedBefore } from '../handle/refuse-stopped.ts';
import type { ThreadEntry, ThreadTable } from '../rest/thread-table.ts';
import { latestOf } from '../latest.ts';
import { nextChange } from '../waits/waiters.ts';
import { refused, type RunningThreads, type Standing, type ThreadSources } from './operation.ts';
import { predecessorsOf } from './stored-threads.ts';
import { createWaitFollowing } from './wait-following.ts';

/** What the threads of a running host are known by. */
export type LiveSources = {
  readonly host: HostContext;
  readonly recall: (threadId: string) => WaitedThread;
  /** True once the runtime has stopped: nothing ends after that. */
  readonly isStopped: () => boolean;
  readonly workers: () => Promise<readonly WorkerView[]>;
  /** The control surface of a worker; none of one that is gone. */
  readonly machines: (worker: number) => ControlClient | undefined;
};

/** The threads of a running host, as operations work on them. */
export function liveThreads(live: LiveSources): ThreadSources {
  const { host, recall, isStopped } = live;
  const { table, reader } = host;
  return {
    reader,
    // Another one may come into force at any time.
    get config() {
      return host.config;
    },
    standing: (row) => standingOf(row, table),
    // An earlier runtime's were written down as suspended when this one started.
    storedAs: (status) => status,
    inMemory: (status) => standingAs(status, table),
    active: async (below) => (below === undefined ? allActive(table) : activeBelow(below, table)),
    wait: createWaitFollowing({ host, recall, isStopped }),
    // Once it has ended there is no more.
    news: (row) => (isEnded(row.status) ? NO_NEWS : createNews(findEntry(row.threadId, host), host)),
    view: async () => {
      const workers = await live.workers();
      return { running: host.slots.taken(), queued: host.slots.waitingInLine(), workers };
    },
    runtime: runningThreads(live),
  };
}

function standingOf(row: ThreadRow, table: ThreadTable): Standing {
  const entry = table.get(row.thread);
  if (entry) {
    const cost = entry.ending?.cost ?? row.cost;
    return { status: statusOf(entry), suspendReason: entry.suspendReason, cost };
  }
  // What runs is in the table; what an earlier runtime left is suspended.
  const { status, suspendReason, cost } = row;
  if (table.isInLine(row.thread)) return { status: 'created', suspendReason: undefined, cost };
  return { status: isEnded(status) ? status : 'suspended', suspendReason, cost };
}

/** How long a suspension is waited for: a thread stops at its next step, and its model may take minutes to answer. */
const SUSPEND_MS = 1_000;

function runningThreads({ host, isStopped, machines }: LiveSources): RunningThreads {
  // Cancellations read threads back in slices: whoever looks for what is left is not to do so at once.
  const untilTold = async (): Promise<void> => {
    while (host.cancelling.size > 0 && !isStopped()) await setImmediate();
  };
  return {
    entry: (row) => entryOf(row, host),
    cancel: ({ lineage }, reason) => host.tell({ type: 'CANCEL', thread: lineage.thread, reason }),
    async kill(entries, reason) {
      let threads = 0;
      const whole = { meets: () => void threads++ };
      // One that handed over is the last of its line.
      for (const { lineage } of new Set(entries.map(latestOf)))
        host.tell({ type: 'CANCEL', thread: lineage.thread, reason, whole });
      await untilTold();
      return threads;
    },
    live: (entry) => withBelow(latestOf(entry), host).filter(({ phase }) => phase !== 'ended'),
    beingCancelled: (entry) => [...beingCancelled(host, latestOf(entry))],
    async ended(entries) {
      const failures = await Promise.all(entries.map((entry) => untilEnded(entry, { table: host.table, isStopped })));
      await untilTold();
      return failures.find((failure) => failure !== undefined);
    },
    fork: (row, fork) =>
      new Promise((done) => host.tell({ type: 'SPAWN', order: forkOrder(host, { row, ...fork }, done) })),
    async suspend(entry) {
      suspendByUser(host, entry);
      const rested = untilRested(entry, host, isStopped);
      const failure = (await doneWithin(SUSPEND_MS, rested, host.clock)) ? await rested : undefined;
      return failure ? failed(failure) : ok(latestOf(entry));
    },
    async machineState({ thread }) {
      const { worker = -1 } = host.table.get(thread) ?? {};
      const view = worker < 0 ? undefined : await machines(worker)?.inspect(thread);
      return view?.state;
    },
    handOver: (entry, how) => askHandOver(host, entry, { ...how, isStopped }),
    resume: (entry, how) => askToResume(host, { entry, ...how }),
  };
}

/** An ended thread is in memory if something open is below it, once somebody of its tree is. */
function entryOf(row: ThreadRow, host: HostContext): ThreadEntry {
  if (row.ending !== undefined && !host.table.get(row.thread)) {
    const open = leftOpen(row, host);
    if (open) findEntry(open.threadId, host);
  }
  return findEntry(row.threadId, host);
}

/** What is below those that a thread took over from is below it. */
function leftOpen(row: ThreadRow, { reader }: HostContext): ThreadRow | undefined {
  for (const { thread } of [row, ...predecessorsOf(reader, row)]) {
    const open = reader.openBelow(thread);
    if (open) return open;
  }
  return undefined;
}

function* standingAs(status: readonly ThreadStatus[], table: ThreadTable): Generator<ThreadNo, void> {
  for (const entry of table.live()) if (status.includes(statusOf(entry))) yield entry.lineage.thread;
  if (status.includes('created')) yield* table.inLine();
}

/** Threads looked at in one go, and what it takes to read one back, in threads that are in memory. */
const SLICE = 500;
const READING = 20;

/** What is queued or runs below a thread, at any depth: in slices, since what has left memory is read back for that. */
async function activeBelow(thread: ThreadNo, table: ThreadTable): Promise<ReadonlySet<ThreadNo>> {
  const active = new Set<ThreadNo>();
  const found = new Set(table.recall(thread)?.children);
  let work = 0;
  // What is added meanwhile is gone through as well.
  for (const next of found) {
    if (work >= SLICE) {
      work = 0;
      await setImmediate();
    }
    work += table.get(next) ? 1 : READING;
    const entry = table.recall(next);
    // It may have handed over since it was found.
    const last = entry && latestOf(entry);
    for (const child of last?.children ?? []) found.add(child);
    if (last && isActive(last)) active.add(last.lineage.thread);
  }
  return active;
}

/** Also those that are nothing but a place in line. */
function allActive(table: ThreadTable): ReadonlySet<ThreadNo> {
  const inMemory = Array.from(table.live()).filter(isActive);
  return new Set([...inMemory.map(({ lineage }) => lineage.thread), ...table.inLine()]);
}

function isActive({ phase }: ThreadEntry): boolean {
  return phase === 'queued' || phase === 'running' || phase === 'waiting';
}

/** Resolves once the thread has ended; to why that can't be written. @throws SkeinError `runtime_closed` */
async function untilEnded(
  begun: ThreadEntry,
  { table, isStopped }: Pick<HostContext, 'table'> & Pick<LiveSources, 'isStopped'>,
): Promise<OperationRefusal | undefined> {
  for (let entry = latestOf(begun); entry.phase !== 'ended'; entry = latestOf(begun)) {
    if (isStopped()) throw fromFailure(stoppedBefore('the thread ended'));
    const failure = await nextChange(table, entry);
    if (failure) return refused(failure.code, failure.message);
  }
  return undefined;
}
