import { MessageChannel } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { createHostBench, openWait, suspendedRow, type HostBench } from '../../../test/fixtures/host-bench.ts';
import { refusal } from '../../../test/fixtures/scene.ts';
import { SkeinError, type Failure } from '../../core/errors.ts';
import { NO_COST } from '../../core/limits.ts';
import { failed, ok } from '../../core/result.ts';
import type { StoreResult } from '../../core/store.ts';
import { createControlClient } from '../workers/control-client.ts';
import { createHandle } from './create-handle.ts';
import type { ThreadHandle } from './thread-handle.ts';
import { wake } from '../waits/waiters.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

describe('A change that cannot be written', () => {
  test('rejects the suspend that asked for it; the thread starts in its turn, and its result comes', async () => {
    const { bench, first, entry, handle } = inLine();
    const refused = refusal(() => handle.suspend());
    const { result } = handle;
    bench.commit(() => DISK_FULL);
    expect(await refused).toMatchObject({ name: 'SkeinError', code: 'store_failed' });
    bench.end(first);
    bench.end(entry);
    expect(await result).toMatchObject({ status: 'completed' });
  });

  test('rejects every cancel that waits for it, and a later one is tried again', async () => {
    const { bench, handle } = inLine();
    const refused = [refusal(() => handle.cancel('no')), refusal(() => handle.cancel('no again'))];
    bench.commit(() => DISK_FULL);
    expect(await Promise.all(refused)).toMatchObject([{ code: 'store_failed' }, { code: 'store_failed' }]);
    const cancelled = handle.cancel('after all');
    bench.commit();
    await cancelled;
    expect(await handle.result).toMatchObject({ status: 'cancelled', error: { message: 'after all' } });
  });

  test('rejects the cancel also while others are being cancelled in slices', async () => {
    const { bench, handle } = inLine();
    bench.host.cancelling.add({});
    const refused = refusal(() => handle.cancel('no'));
    bench.commit(() => DISK_FULL);
    expect(await refused).toMatchObject({ code: 'store_failed' });
  });
});

describe('What callers without types pass', () => {
  const odd = ((): number => 1) as never;

  test('as the reason of a cancel is refused, and the thread can be cancelled', async () => {
    const { bench, entry, handle } = running();
    expect(await refusal(() => handle.cancel(odd))).toMatchObject({ code: 'invalid_argument' });
    expect([entry.cancelReason, bench.cancelled()]).toEqual([undefined, []]);
  });

  test('as the message of a resume is refused, and the thread stays suspended', async () => {
    const { bench, entry, handle } = running();
    suspend(bench, entry);
    expect(await refusal(() => handle.resume(odd))).toMatchObject({ code: 'invalid_argument' });
    expect([entry.phase, bench.host.slots.taken()]).toEqual(['suspended', 0]);
  });
});

describe('Sending', () => {
  test('asks the worker, and resolves once the thread has the message', async () => {
    const { bench, entry, handle } = running();
    const sent = handle.send('hello');
    const { thread } = entry.lineage;
    expect(bench.sent.at(-1)).toEqual({ type: 'send', ref: 1, thread, text: 'hello' });
    bench.host.messages.answer(1, ok(undefined));
    expect(await sent).toBeUndefined();
  });

  test('rejects with what the worker says', async () => {
    const { bench, handle } = running();
    const refused = refusal(() => handle.send('hello'));
    bench.host.messages.answer(1, failed({ code: 'thread_ended', message: 'no more turns' }));
    expect(await refused).toMatchObject({ name: 'SkeinError', code: 'thread_ended', message: 'no more turns' });
  });

  test.each<[string, string, (bench: HostBench, entry: ThreadEntry) => void]>([
    ['has ended', 'thread_ended', (bench, entry) => bench.end(entry)],
    ['is suspended', 'invalid_argument', suspend],
  ])('is refused at once to a thread that %s', async (_name, code, change) => {
    const { bench, entry, handle } = running();
    change(bench, entry);
    const before = bench.sent.length;
    expect(await refusal(() => handle.send('hello'))).toMatchObject({ code });
    expect(bench.sent).toHaveLength(before);
  });

  test.each<[string, string, (bench: HostBench, entry: ThreadEntry) => void]>([
    ['has ended', 'thread_ended', (bench, entry) => bench.end(entry)],
    ['is suspended', 'invalid_argument', suspend],
    [
      'is suspended and being cancelled',
      'thread_ended',
      (bench, entry) => {
        bench.host.tell({ type: 'CANCEL', thread: entry.lineage.thread, reason: 'no' });
        suspend(bench, entry);
      },
    ],
  ])('to a thread that %s before it has the message is refused with that', async (_name, code, change) => {
    const { bench, entry, handle } = running();
    const refused = refusal(() => handle.send('hello'));
    change(bench, entry);
    bench.host.messages.answer(1, failed({ code: 'invalid_argument', message: 'not here' }));
    expect(await refused).toMatchObject({ code, message: expect.stringContaining(entry.lineage.threadId) });
  });

  test.each<[string, Failure]>([
    ['has left its worker', { code: 'invalid_argument', message: 'not here' }],
    ['is about to', { code: 'thread_ended', message: 'has handed over', detail: { successor: 'thread-2' } }],
  ])(
    'to a thread that hands over and %s before it has the message is heard by its successor',
    async (_name, failure) => {
      const { bench, entry, handle } = running();
      const sent = handle.send('hello');
      const next = bench.handOver(entry);
      bench.host.messages.answer(1, failed(failure));
      expect(bench.sent.at(-1)).toEqual({ type: 'send', ref: 2, thread: next.lineage.thread, text: 'hello' });
      bench.host.messages.answer(2, ok(undefined));
      expect(await sent).toBeUndefined();
    },
  );

  test('is refused when the runtime stops before the thread has it', async () => {
    const { bench, handle } = running();
    const refused = refusal(() => handle.send('hello'));
    bench.host.messages.close({ code: 'runtime_closed', message: 'over' });
    expect(await refused).toMatchObject({ code: 'runtime_closed' });
    expect(await refusal(() => handle.send('hello'))).toMatchObject({ code: 'runtime_closed' });
  });

  test.each([undefined, 7, {}, () => 'x'])('%s is refused: a message is a text', async (message) => {
    const { handle } = running();
    expect(await refusal(() => handle.send(message as string))).toMatchObject({ code: 'invalid_argument' });
  });
});

describe('Suspending', () => {
  test('a thread that is about to give its slot back does not wait for its children', () => {
    const { bench, entry, handle } = running();
    void handle.suspend();
    const { thread } = entry.lineage;
    expect(suspensions(bench)).toEqual([false]);
    entry.openWaits = new Set([openWait()]);
    bench.host.tell({ type: 'WAITING', thread });
    expect(suspensions(bench)).toEqual([false, true]);
  });

  test('is over with the suspension: a thread that goes on and waits for its children is left alone', () => {
    const { bench, entry, handle } = running();
    void handle.suspend();
    suspend(bench, entry);
    resume(bench, entry);
    bench.commit();
    entry.openWaits = new Set([openWait()]);
    bench.host.tell({ type: 'WAITING', thread: entry.lineage.thread });
    expect([entry.phase, suspensions(bench)]).toEqual(['waiting', [false]]);
  });
});

describe('A worker that does not answer', () => {
  test.each<[string, (held: Asked) => void]>([
    ['within its time', ({ bench }) => bench.clock.advance(5_000)],
    ['since it is lost', ({ control }) => control.close({ code: 'worker_lost', message: 'gone' })],
    ['since the runtime closes', ({ control }) => control.close({ code: 'runtime_closed', message: 'closed' })],
  ])('%s leaves a thread as the host and its row know it', async (_why, pass) => {
    const { port1, port2 } = new MessageChannel();
    using _ = { [Symbol.dispose]: () => port2.close() };
    const bench = createHostBench();
    const entry = bench.spawn();
    const control = createControlClient(port1, bench.clock);
    const { host } = bench;
    const row = { ...suspendedRow(entry.lineage), cost: { ...NO_COST, turns: 7 } };
    const stored = { ...host, reader: { ...host.reader, threadByNo: () => row } };
    const handle = createHandle(entry, { host: stored, controlOf: () => control, isStopped: () => false });
    const asked = Promise.all([handle.status(), handle.usage()]);
    pass({ bench, control });
    expect(await asked).toMatchObject([
      { status: 'running', state: 'running', usage: { turns: 7 } },
      { own: { turns: 7 } },
    ]);
    control.close({ code: 'runtime_closed', message: 'closed' });
  });

  type Asked = { readonly bench: HostBench; readonly control: ReturnType<typeof createControlClient> };
});

describe('The handle of a thread that handed over in an earlier runtime, once its own has stopped', () => {
  type Call = (handle: ThreadHandle) => Promise<unknown>;

  test.each<[string, Call]>([
    ['status', (handle) => handle.status()],
    ['usage', (handle) => handle.usage()],
    ['send', (handle) => handle.send('hello')],
    ['resume', (handle) => handle.resume()],
  ])('refuses %s with that', async (_name, call) => {
    expect(await refusal(() => call(stopped()))).toMatchObject({ code: 'runtime_closed' });
  });

  test.each<[string, Call]>([
    ['cancel', (handle) => handle.cancel()],
    ['suspend', (handle) => handle.suspend()],
  ])('has nothing to %s', async (_name, call) => {
    expect(await call(stopped())).toBeUndefined();
  });

  /** Its database can't be read any more. */
  function stopped(): ThreadHandle {
    const bench = createHostBench();
    const entry = bench.spawn();
    bench.end(entry, 'continued');
    const closed = (): never => {
      throw new SkeinError('store_failed', 'The database connection is not open');
    };
    const host = { ...bench.host, reader: { ...bench.host.reader, threadByNo: closed, thread: closed } };
    return createHandle(entry, { host, controlOf: () => undefined, isStopped: () => true });
  }
});

describe('What was asked for and is not on disk when the runtime stops', () => {
  test.each<[string, (handle: Pick<ThreadHandle, 'cancel' | 'suspend'>) => Promise<unknown>]>([
    ['a cancellation', (handle) => handle.cancel()],
    ['a suspension', (handle) => handle.suspend()],
  ])('is refused: %s, before and after', async (_name, call) => {
    const { bench, entry } = running();
    let isStopped = false;
    const handle = createHandle(entry, { host: bench.host, controlOf: () => undefined, isStopped: () => isStopped });
    const refused = refusal(() => call(handle));
    isStopped = true;
    wake(entry);
    expect(await refused).toMatchObject({ name: 'SkeinError', code: 'runtime_closed' });
    expect(await refusal(() => call(handle))).toMatchObject({ name: 'SkeinError', code: 'runtime_closed' });
  });

  test('is refused of a thread that the end of the runtime has suspended: the next one goes on with it', async () => {
    const { bench, entry } = running();
    bench.host.tell({ type: 'SUSPENDED', thread: entry.lineage.thread, reason: 'shutdown', cost: undefined });
    const handle = createHandle(entry, { host: bench.host, controlOf: () => undefined, isStopped: () => true });
    expect(await refusal(() => handle.suspend())).toMatchObject({ code: 'runtime_closed' });
    expect(bench.pending).toEqual([]);
  });
});

/** The worker says that a thread is suspended. */
function suspend({ host }: HostBench, { lineage }: ThreadEntry): void {
  host.tell({ type: 'SUSPENDED', thread: lineage.thread, reason: 'user', cost: undefined });
}

function resume({ host }: HostBench, entry: ThreadEntry): void {
  const plain = { message: undefined, limits: undefined };
  host.tell({ type: 'RESUME', order: { entry, ...plain, done: () => undefined } });
}

/** Whether each suspension that the worker was told of was to be at once. */
function suspensions({ sent }: HostBench): boolean[] {
  return sent.flatMap((command) => (command.type === 'suspend' ? [command.now] : []));
}

const DISK_FULL: StoreResult = { type: 'failed', failure: { code: 'store_failed', message: 'disk full' } };

type Held = { readonly bench: HostBench; readonly entry: ThreadEntry; readonly handle: ThreadHandle };

function running(): Held {
  const bench = createHostBench();
  const entry = bench.spawn();
  return { bench, entry, handle: handleOf(bench, entry) };
}

/** A thread that waits for the one slot, which another one has. */
function inLine(): Held & { readonly first: ThreadEntry } {
  const bench = createHostBench({ concurrency: { max_total_threads: 1 } });
  const first = bench.spawn();
  const entry = bench.spawn();
  return { bench, first, entry, handle: handleOf(bench, entry) };
}

function handleOf({ host }: HostBench, entry: ThreadEntry): ThreadHandle {
  return createHandle(entry, { host, controlOf: () => undefined, isStopped: () => false });
}
