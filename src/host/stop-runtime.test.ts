import { describe, expect, test } from 'vitest';
import { createHostBench, specWith, type HostBench } from '../../test/fixtures/host-bench.ts';
import type { Result } from '../core/result.ts';
import { fromFailure, toFailure, type Failure } from '../core/errors.ts';
import { createHandle } from './handle/create-handle.ts';
import type { HostContext } from './host-context.ts';
import { stopOnce, type StoppableParts } from './stop-runtime.ts';
import { createRecall } from './rest/recall.ts';
import type { ThreadEntry } from './rest/thread-table.ts';
import { createThreadWaits } from './waits/thread-waits.ts';

describe('Stopping a runtime', () => {
  test('wakes those who wait while the database can still be read', async () => {
    const { bench, stop, calls } = open();
    const entry = bench.spawn();
    entry.waiters = new Set([() => void calls.push('woken')]);
    await stop(undefined);
    expect(calls).toEqual(['pool', 'questions', 'symbols', 'marked', 'woken', 'socket', 'reader', 'store']);
  });

  test('is known to whoever hears that events are over, and would listen to others', async () => {
    const { bench, stop, calls } = open();
    bench.host.feed.listen(bench.spawn(), { event: () => undefined, ended: () => void calls.push('events') });
    await stop(undefined);
    expect(calls.slice(0, 5)).toEqual(['pool', 'questions', 'symbols', 'marked', 'events']);
  });

  test('fails what workers are asked with runtime_closed', async () => {
    const failures: Failure[] = [];
    const { stop } = open({ controls: [{ close: (failure) => void failures.push(failure) }] });
    await stop(undefined);
    expect(failures).toMatchObject([{ code: 'runtime_closed' }]);
  });

  test('answers an admission that the store answers no more, with runtime_closed', async () => {
    const { bench, stop } = open();
    const answers: Result<ThreadEntry>[] = [];
    const spec = specWith(1);
    bench.host.tell({
      type: 'PREPARED',
      order: { spec, parent: undefined, done: (given: Result<ThreadEntry>) => void answers.push(given) },
    });
    await stop(undefined);
    expect(answers).toMatchObject([{ ok: false, failure: { code: 'runtime_closed' } }]);
  });

  test('answers a message that no thread has heard, with runtime_closed', async () => {
    const { bench, stop } = open();
    const answers: Result<undefined>[] = [];
    const command = (ref: number) => ({ type: 'send', ref, thread: 1, text: 'hello' }) as const;
    bench.host.messages.ask(0, command, (given) => answers.push(given));
    await stop(undefined);
    expect(answers).toMatchObject([{ ok: false, failure: { code: 'runtime_closed' } }]);
  });

  test.each<[string, (bench: HostBench, parent: ThreadEntry) => Promise<unknown>]>([
    ['a message', ({ host }, parent) => createHandle(parent, { host, ...RUNNING }).send('hello')],
    ['a spawn', ({ host }, parent) => spawnBelow(host, parent)],
  ])('answers %s that is kept for a thread on its way out of its worker, with runtime_closed', async (_, ask) => {
    const { bench, stop } = open();
    const parent = bench.spawn();
    parent.absence = { kind: 'leaving', kept: [] };
    const answer = ask(bench, parent).catch(toFailure);
    await stop({ code: 'store_failed', message: 'disk full' });
    expect(await answer).toMatchObject({ code: 'runtime_closed' });
  });

  test('by a failure gives up what threads wait for: no deadline of theirs is left', async () => {
    const { bench, stop } = open();
    const parent = bench.spawn();
    const { thread } = parent.lineage;
    const { threadId } = bench.spawn({ parent }).lineage;
    const recall = createRecall(bench.host.reader);
    const question = { type: 'wait', thread, threadIds: [threadId], timeoutMs: 300_000, failFast: false } as const;
    createThreadWaits({ host: bench.host, recall }).ask({ worker: 0, ref: 1 }, question);
    expect([parent.openWaits?.size, bench.clock.pending()]).toEqual([1, 1]);
    bench.host.tell({ type: 'FAILED', problem: { code: 'store_failed', message: 'disk full' } });
    await stop(await bench.supervisor.stopped);
    expect([parent.openWaits?.size, bench.clock.pending()]).toEqual([0, 0]);
  });

  test('goes on when a waiter or a part throws, and does not reject', async () => {
    const { bench, stop, calls } = open({
      pool: () => {
        throw new Error('stuck');
      },
    });
    const entry = bench.spawn();
    const broken = (): void => {
      throw new Error('broken');
    };
    entry.waiters = new Set([broken, () => void calls.push('woken')]);
    await stop({ code: 'worker_lost', message: 'gone' });
    expect(calls).toEqual(['questions', 'symbols', 'marked', 'woken', 'socket', 'reader', 'store']);
    expect(bench.problems.map(({ message }) => message)).toEqual(['gone', 'stuck', 'broken']);
  });

  test('twice is once', async () => {
    const { stop, calls } = open();
    await Promise.all([stop(undefined), stop(undefined)]);
    expect(calls.filter((call) => call === 'store')).toHaveLength(1);
  });
});

const RUNNING = { controlOf: () => undefined, isStopped: () => false };

async function spawnBelow({ tell }: HostContext, parent: ThreadEntry): Promise<ThreadEntry> {
  const request = { directive: 'a', inputs: {}, limits: undefined, model: undefined, outputSchema: undefined };
  const answer = await new Promise<Result<ThreadEntry>>((done) => {
    tell({ type: 'SPAWN', order: { request: { ...request, parent: undefined }, parent, done } });
  });
  if (!answer.ok) throw fromFailure(answer.failure);
  return answer.value;
}

type Given = { readonly pool?: () => never; readonly controls?: StoppableParts['controls'] };

function open({ pool, controls = [] }: Given = {}) {
  const bench = createHostBench();
  const calls: string[] = [];
  const part = (name: string) => ({ close: async () => void calls.push(name) });
  const reader = { ...bench.host.reader, close: () => void calls.push('reader') };
  const parts = {
    host: { ...bench.host, reader },
    controls,
    store: part('store'),
    pool: pool ? { close: async () => pool() } : part('pool'),
    symbols: part('symbols'),
    threadQuestions: part('questions'),
    socket: part('socket'),
  };
  return { bench, calls, stop: stopOnce(parts, () => void calls.push('marked')) };
}
