import { getHeapStatistics } from 'node:v8';
import { setEnvironmentData } from 'node:worker_threads';
import { collectGarbage, sleep } from './garbage.ts';
import { sibling } from './sibling.ts';

/** Name of the channel on which isolates answer for their heap. */
export const HEAP_CHANNEL = 'skein-bench-heap';
/** What they are asked on it. */
export const HEAP_QUESTION = 'heap?';
/** Key under which workers find {@link SharedProbe}. */
export const PROBE_KEY = 'skein-bench-probe';

/** Memory shared with the probe in every worker; one number each. */
export type SharedProbe = {
  readonly calls: Int32Array;
  /** Calls started after the deadline, if there is one. */
  readonly late: Int32Array;
  /** When the last call started, µs since the epoch. */
  readonly lastCallUs: BigInt64Array;
  /** 0 = no deadline. */
  readonly deadlineUs: BigInt64Array;
  /** The timers that are counted. */
  readonly callMs: number;
};

/** An isolate's heap after a collection: its objects, and what it holds outside of them. */
export type HeapReport = { readonly threadId: number; readonly role: 'thread' | 'store'; readonly bytes: number };

/** Heap in bytes over the host, the thread workers and the store worker. */
export type HeapByRole = { readonly host: number; readonly workers: number; readonly store: number };

/** All of it. */
export function wholeHeap({ host, workers, store }: HeapByRole): number {
  return host + workers + store;
}

/** Arguments of Node for a process whose isolates are to be probed. */
export const PROBE_ARGUMENTS = ['--import', sibling('isolate-probe', import.meta).href];

/** The host's side of the probe. Started before Skein, so that its workers find it. */
export interface Probe {
  /** Model calls started so far. */
  calls(): number;
  /** When the last one started, µs since the epoch. */
  lastCallUs(): number;
  /** From this time on calls count as late; µs since the epoch. */
  setDeadline(us: number): void;
  lateCalls(): number;
  /** Waits until so many calls have started. */
  callsReach(count: number, timeoutMs?: number): Promise<void>;
  /** Collects garbage everywhere and says what is left. */
  heap(): Promise<HeapByRole>;
}

/** A collection of a few hundred thousand threads takes seconds. */
const HEAP_TIMEOUT_MS = 120_000;

/** Starts probing; model calls are told apart by their length. */
export function startProbe(callMs: number): Probe {
  const calls = new Int32Array(new SharedArrayBuffer(4));
  const late = new Int32Array(new SharedArrayBuffer(4));
  const lastCallUs = new BigInt64Array(new SharedArrayBuffer(8));
  const deadlineUs = new BigInt64Array(new SharedArrayBuffer(8));
  const shared: SharedProbe = { calls, late, lastCallUs, deadlineUs, callMs };
  setEnvironmentData(PROBE_KEY, shared);
  const workers = new Set<number>();
  process.on('worker', (worker) => {
    const { threadId } = worker;
    workers.add(threadId);
    // Nobody waits for the answer of one that is gone.
    worker.once('exit', () => workers.delete(threadId));
  });
  const count = (): number => Atomics.load(calls, 0);
  return {
    calls: count,
    lastCallUs: () => Number(Atomics.load(lastCallUs, 0)),
    async callsReach(wanted, timeoutMs = 120_000) {
      const giveUpAt = performance.now() + timeoutMs;
      while (count() < wanted) {
        if (performance.now() > giveUpAt) throw new Error(`${count()} of ${wanted} model calls started in time`);
        await sleep(2);
      }
    },
    setDeadline: (us) => void Atomics.store(deadlineUs, 0, BigInt(Math.round(us))),
    lateCalls: () => Atomics.load(late, 0),
    heap: () => heapOf(workers),
  };
}

async function heapOf(workers: ReadonlySet<number>): Promise<HeapByRole> {
  const channel = new BroadcastChannel(HEAP_CHANNEL);
  try {
    const reports = new Map<number, HeapReport>();
    channel.onmessage = ({ data }) => {
      // Only the probes of this process write to this channel.
      const report = data as HeapReport;
      reports.set(report.threadId, report);
    };
    channel.postMessage(HEAP_QUESTION);
    // A worker may go meanwhile: then nobody waits for it any more.
    const missing = (): number[] => [...workers].filter((id) => !reports.has(id));
    const giveUpAt = performance.now() + HEAP_TIMEOUT_MS;
    while (missing().length > 0) {
      if (performance.now() > giveUpAt) throw new Error(`worker ${missing().join(', ')} does not tell its heap`);
      await sleep(2);
    }
    await collectGarbage();
    const { used_heap_size: used, external_memory: external } = getHeapStatistics();
    const sum = (wanted: HeapReport['role']): number =>
      [...reports.values()].reduce((total, { role, bytes }) => total + (role === wanted ? bytes : 0), 0);
    return { host: used + external, workers: sum('thread'), store: sum('store') };
  } finally {
    channel.close();
  }
}
