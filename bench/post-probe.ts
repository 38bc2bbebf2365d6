/*
 * Loaded into every isolate of a process by `node --import`, as `isolate-probe.ts` is: counts what thread workers post, without
 * any code of the bench in Skein. A batch of reports to the host is an array, one of operations to the store has `ops`; nothing
 * else that workers post is counted.
 */
import { getEnvironmentData, isMainThread, MessagePort, type Transferable } from 'node:worker_threads';
import type { StoreRequest } from '../src/core/store-wire.ts';
import { unpackOps } from '../test/fixtures/unpack-ops.ts';
import { PLACES, POSTS_KEY, type PostCounters } from './posts.ts';

if (!isMainThread) countPosts();

function countPosts(): void {
  // Set by `startCounting` before any worker starts.
  const counters = getEnvironmentData(POSTS_KEY) as PostCounters | undefined;
  if (!counters) return;
  const { prototype } = MessagePort;
  // Called with the port that it is called on.
  // oxlint-disable-next-line typescript/unbound-method
  const original = prototype.postMessage;
  let isNoted = false;
  prototype.postMessage = function count(
    this: MessagePort,
    message: unknown,
    transfer?: readonly Transferable[],
  ): void {
    const size = sizeOf(message);
    if (size > 0) {
      Atomics.add(counters, PLACES.posts, 1);
      Atomics.add(counters, PLACES.messages, size);
      if (!isNoted) Atomics.add(counters, PLACES.ticks, 1);
      isNoted = true;
      // Runs in the next round of the event loop: posts are made in `setImmediate` themselves.
      setImmediate(() => (isNoted = false));
    }
    original.call(this, message, transfer);
  };
}

/** Messages in a batch; 0: it is none. */
function sizeOf(message: unknown): number {
  if (Array.isArray(message)) return message.length;
  if (typeof message !== 'object' || message === null || !('ops' in message)) return 0;
  // Nothing but a request to the store has operations.
  return unpackOps((message as StoreRequest).ops).length;
}
