/*
 * Loaded into every isolate of a process by `node --import` (Node loads such modules in its workers too), so that the
 * bench can look into Skein's workers without any code of its own in Skein. In a worker it does two things: it answers
 * on a broadcast channel with its heap after a collection, and it counts timers of one unusual length, which is how
 * long the scripted model's calls are set to take: each such timer is one model call that starts.
 */
import { getHeapStatistics } from 'node:v8';
import { getEnvironmentData, isMainThread, threadId } from 'node:worker_threads';
import { collectGarbage } from './garbage.ts';
import { HEAP_CHANNEL, HEAP_QUESTION, PROBE_KEY, type HeapReport, type SharedProbe } from './isolates.ts';

if (!isMainThread) {
  answerHeapQuestions();
  countModelCalls();
}

function answerHeapQuestions(): void {
  const channel = new BroadcastChannel(HEAP_CHANNEL);
  // Of a worker this is its file; those of the pool have Piscina's.
  const role = process.argv[1]?.endsWith('store.worker.js') ? 'store' : 'thread';
  channel.onmessage = async ({ data }) => {
    // The other isolates' answers come here, too.
    if (data !== HEAP_QUESTION) return;
    await collectGarbage();
    const { used_heap_size: used, external_memory: external } = getHeapStatistics();
    channel.postMessage({ threadId, role, bytes: used + external } satisfies HeapReport);
  };
  channel.unref();
}

function countModelCalls(): void {
  // Set by `startProbe` before any worker starts.
  const shared = getEnvironmentData(PROBE_KEY) as SharedProbe | undefined;
  if (!shared) return;
  const { calls, late, lastCallUs, deadlineUs, callMs } = shared;
  const original = globalThis.setTimeout;
  const counting = (fire: () => void, ms?: number, ...rest: []): NodeJS.Timeout => {
    if (ms === callMs) {
      Atomics.add(calls, 0, 1);
      const now = nowUs();
      const deadline = Atomics.load(deadlineUs, 0);
      noteLast(lastCallUs, now);
      if (deadline > 0n && now > deadline) Atomics.add(late, 0, 1);
    }
    return original(fire, ms, ...rest);
  };
  globalThis.setTimeout = Object.assign(counting, original);
}

/** The latest of all workers stays. */
function noteLast(lastCallUs: BigInt64Array, now: bigint): void {
  for (let last = Atomics.load(lastCallUs, 0); now > last;) {
    const found = Atomics.compareExchange(lastCallUs, 0, last, now);
    if (found === last) return;
    last = found;
  }
}

/** Microseconds since the epoch, the same in every thread. */
function nowUs(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000));
}
