import { uncut, type PortLike, type Schedule } from './batched-port.ts';
import type { Line } from './slices.ts';
import type { StoreOp, StoreReply, StoreResult } from './store.ts';
import { packOp, type StoreRequest, type WireOps } from './store-wire.ts';

/** A way to the store worker: operations of one tick travel as one message and come back as one answer. */
export interface StoreClient {
  /** Submits an operation; `done` is called after the commit that held it, in the order of submission. */
  submit(op: StoreOp, done: (result: StoreResult) => void): void;
  /** Operations submitted and not yet answered. */
  pending(): number;
  close(): void;
}

/** Bytes of event lines after which a batch is posted without waiting for the end of the tick. */
const POST_AT = 256 * 1024;

type StoreClientOptions = {
  readonly port: PortLike;
  readonly schedule: Schedule;
  /** Where answers stand until they are given; default: in a line of their own, of which all are given at once. */
  readonly line?: Line;
};

/** Connects to the store worker over a port. Promise-free: one closure per operation. */
export function createStoreClient({ port, schedule, line = uncut(schedule) }: StoreClientOptions): StoreClient {
  const waiting = new Map<number, ((result: StoreResult) => void)[]>();
  let ops: WireOps = [];
  let callbacks: ((result: StoreResult) => void)[] = [];
  let bytes = 0;
  let batch = 0;
  let pending = 0;
  let scheduled = false;
  let isClosed = false;

  const post = (): void => {
    scheduled = false;
    if (ops.length === 0) return;
    waiting.set(batch, callbacks);
    port.postMessage({ batch: batch++, ops } satisfies StoreRequest);
    ops = [];
    callbacks = [];
    bytes = 0;
  };
  port.on('message', ((reply: StoreReply) => {
    const done = waiting.get(reply.batch) ?? [];
    waiting.delete(reply.batch);
    const resultOf = resultsOf(reply);
    line(done, (callback) => {
      const result = resultOf();
      if (isClosed) return;
      pending--;
      callback(result);
    });
  }) as (message: unknown) => void);

  return {
    submit(op, done) {
      packOp(ops, op);
      callbacks.push(done);
      pending++;
      bytes += op.type === 'step' ? op.lines.length : 0;
      if (bytes >= POST_AT) post();
      else if (!scheduled) {
        scheduled = true;
        schedule(post);
      }
    },
    pending: () => pending,
    close() {
      post();
      // Whoever has no answer by now gets none from here.
      isClosed = true;
      port.close();
    },
  };
}

/** The results of a batch, one after the other. */
function resultsOf({ results, failure }: StoreReply): () => StoreResult {
  if (failure) return () => ({ type: 'failed', failure });
  let index = 0;
  let next = 0;
  return () => {
    const exception = results[next];
    if (exception?.[0] !== index++) return true;
    next++;
    return exception[1];
  };
}
