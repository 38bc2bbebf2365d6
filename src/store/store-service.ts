import type { PortLike, Schedule } from '../core/batched-port.ts';
import type { Failure } from '../core/errors.ts';
import { attempt } from '../core/result.ts';
import type { Store, StoreOp, StoreReply, StoreResult } from '../core/store.ts';
import { OpReader, type StoreRequest } from '../core/store-wire.ts';

/** Settings of {@link serveStore}. */
export type StoreServiceOptions<Port extends PortLike> = {
  readonly store: Store;
  /** Runs a function after the messages of this tick; default `setImmediate`. */
  readonly schedule?: Schedule;
  /** Operations per transaction; default 2,000. */
  readonly maxOpsPerCommit?: number;
  /** Characters of events and checkpoints per transaction; default 4 Mi. */
  readonly maxBytesPerCommit?: number;
  /** Takes a message that waits in a port, so that `close` misses none; `receiveMessageOnPort` in a worker. */
  readonly receive?: (port: Port) => { readonly message: StoreRequest } | undefined;
  /** Told when cleanup failed and the store goes on; it is not tried again. */
  readonly problem?: (failure: Failure) => void;
  /** Told once, when nothing is written any more. */
  readonly stopped?: (failure: Failure) => void;
};

/** The store behind message ports. */
export interface StoreService<Port extends PortLike> {
  /** Serves a sender. Returns what forgets its port, once it is closed and all it has sent is in line. */
  addPort(port: Port): () => void;
  /** Commits and answers everything that was posted before, then closes the ports and the store. */
  close(): void;
}

type Batch = {
  readonly port: PortLike;
  /** As its sender counts. */
  readonly number: number;
  readonly ops: OpReader;
  readonly exceptions: [index: number, result: Exclude<StoreResult, true>][];
  /** Operations already taken into a transaction. */
  taken: number;
  failure: Failure | undefined;
};

/** Operations of a batch in a transaction: how many, and the number of the first within its batch. */
type Part = { readonly batch: Batch; readonly from: number; readonly count: number };

/** What goes into one transaction. */
type Cut = { readonly ops: readonly StoreOp[]; readonly parts: readonly Part[] };

/** How long nothing arrives before the log is copied into the database. */
const IDLE_MS = 250;

/** Pause between two slices of cleanup, in which commits come first. */
const BETWEEN_SLICES_MS = 2;

/** What an operation costs in a transaction beyond its text. */
const OP_BYTES = 200;

/**
 * Serves a store to several senders by group commit: what arrives from all ports in one tick is committed together, in
 * transactions of bounded size, and each batch is answered once, after the transaction that holds its last operation.
 * After a failed transaction nothing is written any more and everything is answered with that failure: whether the
 * transaction is on disk can only be told by opening the store again.
 */
export function serveStore<Port extends PortLike>(options: StoreServiceOptions<Port>): StoreService<Port> {
  const { schedule = setImmediate, receive } = options;
  const ports = new Set<Port>();
  let queue: Batch[] = [];
  const committer = createCommitter({ ...options, isBusy: () => queue.length > 0 });
  let scheduled = false;
  let closed = false;

  const drain = (): void => {
    scheduled = false;
    if (closed || queue.length === 0) return;
    const batches = queue;
    queue = [];
    committer.commit(batches);
  };
  const accept = (port: Port, request: StoreRequest): void => {
    const ops = new OpReader(request.ops);
    queue.push({ port, number: request.batch, ops, exceptions: [], taken: 0, failure: undefined });
    if (scheduled) return;
    scheduled = true;
    schedule(drain);
  };
  return {
    addPort(port) {
      ports.add(port);
      // A port is handed out to a store client alone, which posts nothing else.
      port.on('message', (request) => accept(port, request as StoreRequest));
      return () => void ports.delete(port);
    },
    close() {
      if (closed) return;
      for (const port of ports) {
        for (let waiting = receive?.(port); waiting; waiting = receive?.(port)) accept(port, waiting.message);
      }
      drain();
      closed = true;
      committer.stop();
      for (const port of ports) port.close();
      options.store.close();
    },
  };
}

/** Commits batches in capped transactions and posts their replies; keeps the log short. */
function createCommitter<Port extends PortLike>(
  options: StoreServiceOptions<Port> & { readonly isBusy: () => boolean },
): {
  commit(batches: readonly Batch[]): void;
  stop(): void;
} {
  const { store, maxOpsPerCommit = 2_000, maxBytesPerCommit = 4 * 1024 * 1024 } = options;
  const caps = { maxOps: Math.max(1, maxOpsPerCommit), maxBytes: Math.max(1, maxBytesPerCommit) };
  let failure: Failure | undefined;
  const unlessStopped = (work: () => void): void => {
    if (failure) return;
    const done = attempt(work, 'store_failed');
    if (done.ok) return;
    failure = done.failure;
    options.stopped?.(failure);
  };
  const keepLogShort = (): boolean => {
    unlessStopped(() => store.keepLogShort?.());
    return failure === undefined;
  };
  const isBusy = (): boolean => options.isBusy() || failure !== undefined;
  const cleaner = createCleaner({ ...options, isBusy, keepLogShort });
  const timer = setTimeout(() => {
    unlessStopped(() => store.idle());
    if (!failure) cleaner.start();
  }, IDLE_MS).unref();
  return {
    commit(batches) {
      cleaner.stop();
      const cut = createCutter(batches, caps);
      for (let next = cut(); next.parts.length > 0; next = cut()) {
        unlessStopped(() => commitParts(store, next));
        answer(next.parts, failure);
        keepLogShort();
      }
      timer.refresh();
    },
    stop() {
      clearTimeout(timer);
      cleaner.stop();
    },
  };
}

/** Runs slices of cleanup from a quiet moment on until there is nothing left, or something is to be committed. */
function createCleaner<Port extends PortLike>({
  store,
  isBusy,
  keepLogShort,
  problem,
}: StoreServiceOptions<Port> & { readonly isBusy: () => boolean; readonly keepLogShort: () => boolean }): {
  start(): void;
  stop(): void;
} {
  let timer: NodeJS.Timeout | undefined;
  let failed = false;
  const slice = (): void => {
    if (failed || isBusy()) return;
    const tidied = attempt(() => store.tidy?.() ?? false, 'store_failed');
    failed = !tidied.ok;
    // It is refused if the store has stopped with that.
    const goesOn = keepLogShort();
    if (!tidied.ok && goesOn) problem?.(tidied.failure);
    if (tidied.ok && tidied.value) timer = setTimeout(slice, BETWEEN_SLICES_MS).unref();
  };
  return { start: slice, stop: () => clearTimeout(timer) };
}

/** Returns a function that cuts the next transaction's worth of operations; at least one, then up to the caps. */
function createCutter(
  batches: readonly Batch[],
  { maxOps, maxBytes }: { readonly maxOps: number; readonly maxBytes: number },
): () => Cut {
  let position = 0;
  return () => {
    const ops: StoreOp[] = [];
    const parts: Part[] = [];
    let bytes = 0;
    const isFull = (): boolean => ops.length >= maxOps || bytes >= maxBytes;
    for (let batch = batches[position]; batch && !isFull(); batch = batches[position]) {
      const before = ops.length;
      for (let op = batch.ops.next(); op; op = isFull() ? undefined : batch.ops.next()) {
        ops.push(op);
        bytes += size(op);
      }
      const count = ops.length - before;
      parts.push({ batch, from: batch.taken, count });
      batch.taken += count;
      if (batch.ops.isDone) position++;
    }
    return { ops, parts };
  };
}

function size(op: StoreOp): number {
  if (op.type === 'step') return OP_BYTES + op.lines.length + (op.checkpoint?.state.length ?? 0);
  if (op.type === 'continue') return size(op.end) + op.successor.spec.length;
  return OP_BYTES + (op.type === 'admit' ? op.spec.length : 0);
}

function commitParts(store: Store, { ops, parts }: Cut): void {
  const results = store.commit(ops);
  let position = 0;
  for (const { batch, from, count } of parts) {
    for (let index = from; index < from + count; index++) {
      const result = results[position++];
      if (result !== true && result !== undefined) batch.exceptions.push([index, result]);
    }
  }
}

/** Answers the batches whose last operation has been dealt with. */
function answer(parts: readonly Part[], failure: Failure | undefined): void {
  for (const { batch } of parts) {
    batch.failure ??= failure;
    if (!batch.ops.isDone) continue;
    const { port, number, exceptions } = batch;
    const reply: StoreReply = batch.failure
      ? { batch: number, results: [], failure: batch.failure }
      : { batch: number, results: exceptions };
    port.postMessage(reply);
  }
}
