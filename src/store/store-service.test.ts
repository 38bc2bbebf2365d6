import { once } from 'node:events';
import { MessageChannel, Worker, receiveMessageOnPort } from 'node:worker_threads';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { admit, lines, scratchFolder, shippedTables, step } from '../../test/conformance/store-fixture.ts';
import type { PortLike } from '../core/batched-port.ts';
import { SkeinError, type Failure } from '../core/errors.ts';
import type { Store, StoreOp, StoreReply, StoreResult } from '../core/store.ts';
import { packOp, type StoreRequest, type WireOps } from '../core/store-wire.ts';
import { openReader } from './reader.ts';
import { serveStore, type StoreServiceOptions } from './store-service.ts';

/** A store that keeps what it was asked to commit, answers by a rule, and can be told to fail. */
function createRecorder(answer: (op: StoreOp) => StoreResult = () => true): Store & {
  readonly commits: (readonly StoreOp[])[];
  failWith: SkeinError | undefined;
  idles: number;
  closed: boolean;
} {
  return {
    commits: [],
    failWith: undefined,
    idles: 0,
    closed: false,
    commit(ops) {
      if (this.failWith) throw this.failWith;
      this.commits.push(ops);
      return ops.map(answer);
    },
    idle() {
      this.idles++;
    },
    close() {
      this.closed = true;
    },
  };
}

/** One end of a port: what is `sent` reaches the service at once, its replies are kept. */
function createPort(): PortLike & {
  send(batch: number, ops: readonly StoreOp[]): void;
  replies: StoreReply[];
  open: boolean;
} {
  let listener: ((message: unknown) => void) | undefined;
  return {
    replies: [],
    open: true,
    // Only replies are posted to a port.
    postMessage(message) {
      this.replies.push(message as StoreReply);
    },
    on: (_, listen) => (listener = listen),
    close() {
      this.open = false;
    },
    send: (batch, ops) => listener?.({ batch, ops: wireOf(ops) } satisfies StoreRequest),
  };
}

function wireOf(ops: readonly StoreOp[]): WireOps {
  const wire: WireOps = [];
  for (const op of ops) packOp(wire, op);
  return wire;
}

function createService(settings: Partial<StoreServiceOptions<PortLike>> & { store: Store }) {
  const ticks: (() => void)[] = [];
  const service = serveStore<PortLike>({ schedule: (run) => void ticks.push(run), ...settings });
  const ports = [createPort(), createPort()] as const;
  for (const port of ports) service.addPort(port);
  return { service, ports, tick: () => ticks.splice(0).forEach((run) => run()) };
}

describe('group commit', () => {
  test('what arrives in one tick from several ports is one transaction, in the order of arrival', () => {
    const store = createRecorder();
    const { ports, tick } = createService({ store });
    ports[0].send(0, [step(1, 1), step(1, 2)]);
    ports[1].send(0, [step(2, 1)]);
    ports[0].send(1, [step(1, 3)]);
    expect(store.commits).toEqual([]);
    tick();
    expect(store.commits).toEqual([[step(1, 1), step(1, 2), step(2, 1), step(1, 3)]]);
    expect(ports[0].replies).toEqual([
      { batch: 0, results: [] },
      { batch: 1, results: [] },
    ]);
    expect(ports[1].replies).toEqual([{ batch: 0, results: [] }]);
  });

  test('a reply names only what is not true, by its place in the batch', () => {
    const refused = { type: 'refused', remaining: 3 } as const;
    const store = createRecorder((op) => (op.type === 'load' ? refused : true));
    const { ports, tick } = createService({ store, maxOpsPerCommit: 2 });
    ports[0].send(4, [step(1, 1), { type: 'load', thread: 1 }, step(1, 2), { type: 'load', thread: 2 }, step(1, 3)]);
    tick();
    expect(ports[0].replies).toEqual([
      {
        batch: 4,
        results: [
          [1, refused],
          [3, refused],
        ],
      },
    ]);
  });

  test.each([
    ['by number', { maxOpsPerCommit: 2 }, [2, 2, 2, 1]],
    ['by size', { maxBytesPerCommit: 3_000 }, [3, 3, 1]],
    ['to one at least', { maxBytesPerCommit: 1 }, [1, 1, 1, 1, 1, 1, 1]],
    ['not below what fits', {}, [7]],
  ])('transactions are capped %s', (_, caps, expected) => {
    const store = createRecorder();
    const { ports, tick } = createService({ store, ...caps });
    const steps = (first: number, count: number): StoreOp[] =>
      Array.from({ length: count }, (_, index) => step(1, first + index, { lines: 'x'.repeat(1_000) }));
    ports[0].send(0, steps(1, 5));
    ports[1].send(0, []);
    ports[1].send(1, steps(6, 2));
    tick();
    expect(store.commits.map((ops) => ops.length)).toEqual(expected);
    expect(store.commits.flat()).toEqual(steps(1, 7));
    expect(ports.map(({ replies }) => replies.map(({ batch }) => batch))).toEqual([[0], [0, 1]]);
  });
});

describe('failure', () => {
  test('one failed transaction stops all later writes, and is told once', () => {
    const store = createRecorder();
    const stopped = vi.fn<(failure: Failure) => void>();
    const { ports, tick } = createService({ store, stopped });
    store.failWith = new SkeinError('store_failed', 'disk gone');
    ports[0].send(0, [step(1, 1), step(1, 2)]);
    tick();
    store.failWith = undefined;
    ports[1].send(0, [step(2, 1)]);
    tick();
    expect(store.commits).toEqual([]);
    const failure = { code: 'store_failed', message: 'disk gone' };
    expect(ports[0].replies).toEqual([{ batch: 0, results: [], failure }]);
    expect(ports[1].replies).toEqual([{ batch: 0, results: [], failure }]);
    expect(stopped.mock.calls).toEqual([[failure]]);
  });
});

describe('closing', () => {
  test('commits what waits in the service and in the ports, answers it, then closes everything once', () => {
    const store = createRecorder();
    const late = [{ message: { batch: 1, ops: wireOf([step(1, 2)]) } }];
    const { service, ports, tick } = createService({
      store,
      receive: (port) => (port === ports[0] ? late.shift() : undefined),
    });
    ports[0].send(0, [step(1, 1)]);
    service.close();
    service.close();
    tick();
    expect(store.commits).toEqual([[step(1, 1), step(1, 2)]]);
    expect(ports[0].replies.map(({ batch }) => batch)).toEqual([0, 1]);
    expect([store.closed, ports[0].open, ports[1].open]).toEqual([true, false, false]);
  });
});

test('a port that is forgotten is no longer looked into, and what it has sent is committed', () => {
  const store = createRecorder();
  const looked: PortLike[] = [];
  const receive = (port: PortLike): undefined => void looked.push(port);
  const { service, ports } = createService({ store, receive });
  const left = createPort();
  const forget = service.addPort(left);
  left.send(0, [step(1, 1)]);
  forget();
  service.close();
  expect(looked).toEqual(ports);
  expect([store.commits, left.replies]).toEqual([[[step(1, 1)]], [{ batch: 0, results: [] }]]);
});

describe('log', () => {
  test('is kept short after each transaction, when that is answered', () => {
    const answered: number[] = [];
    const keepLogShort = (): number => answered.push(ports[0].replies.length);
    const { ports, tick } = createService({ store: { ...createRecorder(), keepLogShort }, maxOpsPerCommit: 1 });
    ports[0].send(0, [step(1, 1)]);
    ports[0].send(1, [step(1, 2)]);
    tick();
    expect(answered).toEqual([1, 2]);
  });

  test('that can not be kept short stops all later writes', () => {
    const store = createRecorder();
    const stopped = vi.fn<(failure: Failure) => void>();
    const keepLogShort = (): never => {
      throw new SkeinError('store_failed', 'disk gone');
    };
    const { ports, tick } = createService({ store: { ...store, keepLogShort }, stopped, maxOpsPerCommit: 1 });
    ports[0].send(0, [step(1, 1)]);
    ports[0].send(1, [step(1, 2)]);
    tick();
    const failure = { code: 'store_failed', message: 'disk gone' };
    expect([store.commits, stopped.mock.calls]).toEqual([[[step(1, 1)]], [[failure]]]);
    expect(ports[0].replies).toEqual([
      { batch: 0, results: [] },
      { batch: 1, results: [], failure },
    ]);
  });

  test('is copied into the database after a while of silence', async () => {
    const store = createRecorder();
    const quiet = Promise.withResolvers<void>();
    const { ports, tick, service } = createService({ store: { ...store, idle: quiet.resolve } });
    ports[0].send(0, [step(1, 1)]);
    tick();
    await expect(quiet.promise).resolves.toBeUndefined();
    service.close();
  });
});

describe('the worker', () => {
  test('serves several ports, and on close commits and answers all that was posted before', async () => {
    using scratch = scratchFolder();
    const worker = new Worker(new URL('../../workers/store.worker.ts', import.meta.url), {
      workerData: { path: scratch.path, tables: shippedTables() },
    });
    const [opened] = await once(worker, 'message');
    expect(opened).toEqual({ type: 'opened', opened: { nextThread: 1, suspendedOrphans: 0 } });
    const ports = [1, 2].map((thread) => {
      const { port1, port2 } = new MessageChannel();
      worker.postMessage({ type: 'port', port: port2 }, [port2]);
      port1.postMessage({ batch: 0, ops: [admit(thread), step(thread, 1), step(thread, 9)] });
      port1.postMessage({ batch: 1, ops: [step(thread, 2, { lines: lines(2, 4), lastSequence: 4 })] });
      return port1;
    });
    worker.postMessage({ type: 'close' });
    const [exitCode] = await once(worker, 'exit');
    expect(exitCode).toBe(0);
    for (const port of ports) {
      expect(receiveMessageOnPort(port)?.message).toMatchObject({ batch: 0, results: [[2, { type: 'failed' }]] });
      expect(receiveMessageOnPort(port)?.message).toEqual({ batch: 1, results: [] });
    }
    const reader = openReader(scratch.path);
    expect([1, 2].map((thread) => reader.events(thread).join(''))).toEqual([lines(1, 4), lines(1, 4)]);
    reader.close();
  });

  test('says what refused it, as plain data', async () => {
    using scratch = scratchFolder();
    const tables = shippedTables();
    const worker = new Worker(new URL('../../workers/store.worker.ts', import.meta.url), {
      workerData: { path: scratch.path, tables: { ...tables, events: { ...tables.events, columns: [] } } },
    });
    const exit = once(worker, 'exit');
    const [message] = await once(worker, 'message');
    expect(message).toMatchObject({ type: 'refused', failure: { code: 'invalid_config' } });
    expect(await exit).toEqual([0]);
  });
});

describe('cleanup', () => {
  /** A store that has some slices of cleanup to do. */
  function createMessy(slices: number): Store & { readonly done: string[]; left: number } {
    return {
      done: [],
      left: slices,
      commit(ops) {
        this.done.push('commit');
        return ops.map(() => true);
      },
      idle() {
        this.done.push('idle');
      },
      keepLogShort() {
        this.done.push('short');
      },
      tidy() {
        if (this.left === 0) return false;
        this.left--;
        this.done.push('tidy');
        return true;
      },
      close: () => undefined,
    };
  }

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    return () => vi.useRealTimers();
  });

  test('begins in a quiet moment and goes on slice by slice', () => {
    const store = createMessy(3);
    createService({ store });
    vi.advanceTimersByTime(249);
    expect(store.done).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(store.done).toEqual(['idle', 'tidy', 'short']);
    vi.advanceTimersByTime(10);
    expect(store.done).toEqual(['idle', 'tidy', 'short', 'tidy', 'short', 'tidy', 'short', 'short']);
  });

  test('does nothing while something is to be committed, and goes on when it is quiet again', () => {
    const store = createMessy(3);
    const { ports, tick } = createService({ store });
    vi.advanceTimersByTime(250);
    ports[0].send(0, [step(1, 1)]);
    vi.advanceTimersByTime(10);
    expect(store.done).toEqual(['idle', 'tidy', 'short']);
    tick();
    vi.advanceTimersByTime(249);
    expect(store.done).toEqual(['idle', 'tidy', 'short', 'commit', 'short']);
    vi.advanceTimersByTime(2);
    expect(store.done).toEqual(['idle', 'tidy', 'short', 'commit', 'short', 'idle', 'tidy', 'short']);
  });

  test('that fails is told once and not tried again; the store goes on', () => {
    const store = createMessy(0);
    const problems: string[] = [];
    store.tidy = () => {
      throw new SkeinError('store_corrupt', 'the archive is damaged');
    };
    const { ports, tick } = createService({ store, problem: ({ message }) => void problems.push(message) });
    vi.advanceTimersByTime(1_000);
    ports[0].send(0, [step(1, 1)]);
    tick();
    vi.advanceTimersByTime(1_000);
    expect(problems).toEqual(['the archive is damaged']);
    expect(ports[0].replies).toEqual([{ batch: 0, results: [] }]);
  });

  test('that stops the store is told as that alone', () => {
    const failed = new SkeinError('store_failed', 'disk gone');
    const fail = (): never => {
      throw failed;
    };
    const told: string[] = [];
    const problem = ({ message }: Failure): void => void told.push(`problem: ${message}`);
    const stopped = ({ message }: Failure): void => void told.push(`stopped: ${message}`);
    createService({ store: { ...createMessy(0), tidy: fail, keepLogShort: fail }, problem, stopped });
    vi.advanceTimersByTime(1_000);
    expect(told).toEqual(['stopped: disk gone']);
  });

  test('ends with a log that can not be kept short', () => {
    const store = createMessy(3);
    store.keepLogShort = () => {
      throw new SkeinError('store_failed', 'disk gone');
    };
    createService({ store });
    vi.advanceTimersByTime(1_000);
    expect(store.done).toEqual(['idle', 'tidy']);
  });

  test('ends with the service', () => {
    const store = createMessy(3);
    const { service } = createService({ store });
    vi.advanceTimersByTime(250);
    service.close();
    vi.advanceTimersByTime(1_000);
    expect(store.done).toEqual(['idle', 'tidy', 'short']);
  });
});
