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

/** Memory shared with the probe in every worker; indexed by thread id. */
export type SharedProbe = {
  readonly calls: Int32Array;
  /** Calls started after the deadline, if there is one. */
  readonly late: Int32Array;
  /** When the last call started, µs since the epoch. */
  readonly lastCallUs: BigInt64Array;
  /** One number: 0 = no deadline. */
  readonly deadlineUs: BigInt64Array;
  /** The timers that are counted. */
  readonly callMs: number;
};

/** An isolate's heap after a collection: its objects, and what it holds outside of them. */
export type HeapReport = { readonly threadId: number; readonly bytes: number };

/** Heap in bytes over the host, the thread workers and the store worker. */
export type HeapByRole = { readonly host: number; readonly workers: number; readonly store: number };

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

const MAX_THREADS = 64;

/** Starts probing; model calls are told apart by their length. */
export function startProbe(callMs: number): Probe {
  const calls = new Int32Array(new SharedArrayBuffer(4 * MAX_THREADS));
  const late = new Int32Array(new SharedArrayBuffer(4 * MAX_THREADS));
  const lastCallUs = new BigInt64Array(new SharedArrayBuffer(8 * MAX_THREADS));
  const deadlineUs = new BigInt64Array(new SharedArrayBuffer(8));
  const shared: SharedProbe = { calls, late, lastCallUs, deadlineUs, callMs };
  setEnvironmentData(PROBE_KEY, shared);
  const workers = new Map<number, 'thread' | 'store'>();
  process.on('worker', (worker) => {
    // The store is the first worker a runtime starts; the pool's follow.
    if (!workers.has(worker.threadId)) workers.set(worker.threadId, workers.size === 0 ? 'store' : 'thread');
  });
  const count = (): number => sumOf(calls);
  return {
    calls: count,
    lastCallUs: () => Number(lastCallUs.reduce((last, at) => (at > last ? at : last), 0n)),
    async callsReach(wanted, timeoutMs = 120_000) {
      const giveUpAt = performance.now() + timeoutMs;
      while (count() < wanted) {
        if (performance.now() > giveUpAt) throw new Error(`${count()} of ${wanted} model calls started in time`);
        await sleep(2);
      }
    },
    setDeadline: (us) => void Atomics.store(deadlineUs, 0, BigInt(Math.round(us))),
    lateCalls: () => sumOf(late),
    heap: () => heapOf(workers),
  };
}

function sumOf(counters: Int32Array): number {
  return counters.reduce((sum, _, index) => sum + Atomics.load(counters, index), 0);
}

async function heapOf(workers: ReadonlyMap<number, 'thread' | 'store'>): Promise<HeapByRole> {
  const channel = new BroadcastChannel(HEAP_CHANNEL);
  try {
    const reports = new Map<number, number>();
    const complete = new Promise<void>((resolve) => {
      channel.onmessage = ({ data }) => {
        // Only the probes of this process write to this channel.
        const { threadId, bytes } = data as HeapReport;
        reports.set(threadId, bytes);
        if (reports.size === workers.size) resolve();
      };
    });
    channel.postMessage(HEAP_QUESTION);
    if (workers.size > 0) await complete;
    await collectGarbage();
    const { used_heap_size: used, external_memory: external } = getHeapStatistics();
    const sum = (role: string): number =>
      [...reports].reduce((total, [id, bytes]) => total + (workers.get(id) === role ? bytes : 0), 0);
    return { host: used + external, workers: sum('thread'), store: sum('store') };
  } finally {
    channel.close();
  }
}
