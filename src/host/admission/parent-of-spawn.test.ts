import { describe, expect, test } from 'vitest';
import { createHostBench, specWith, type HostBench } from '../../../test/fixtures/host-bench.ts';
import { refusal } from '../../../test/fixtures/scene.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { wake } from '../waits/waiters.ts';
import { parentOfSpawn } from './parent-of-spawn.ts';

const REQUEST = {
  directive: 'demo/task',
  inputs: {},
  limits: undefined,
  model: undefined,
  parent: undefined,
  outputSchema: undefined,
};
const NOT_RUNNING = { code: 'thread_ended', message: 'The parent is not running any more' } as const;
const GONE = failed(NOT_RUNNING);
const TOO_DEEP = failed({ code: 'depth_exceeded', message: 'It may not have children' });
const STOPPED = failed({ code: 'runtime_closed', message: 'The runtime stops' });

describe('The parent of a thread that is asked for', () => {
  test('is the last of those that took over from the one that is named', () => {
    const bench = createHostBench();
    const first = bench.spawn();
    const last = bench.handOver(bench.handOver(first));
    expect(parentOfSpawn(first.lineage.threadId, bench.host)).toBe(last);
  });

  test.each<[string, string, (bench: HostBench, entry: ThreadEntry) => void]>([
    ['has ended', 'thread_ended', (bench, entry) => bench.end(entry)],
    ['has handed over to one that has ended', 'thread_ended', (bench, entry) => bench.end(bench.handOver(entry))],
    ['is suspended', 'invalid_argument', suspend],
    ['is nowhere', 'thread_not_found', ({ host }, entry) => host.table.forget(entry)],
  ])('can not be one that %s', async (_how, code, change) => {
    const bench = createHostBench();
    const entry = bench.spawn();
    change(bench, entry);
    expect(await refusal(() => parentOfSpawn(entry.lineage.threadId, bench.host))).toMatchObject({ code });
  });

  test('is named by its own id if it can not be one', async () => {
    const bench = createHostBench();
    const first = bench.spawn();
    const last = bench.handOver(first);
    suspend(bench, last);
    const message = `Thread ${last.lineage.threadId} is suspended: only a running thread can be a parent`;
    expect(await refusal(() => parentOfSpawn(first.lineage.threadId, bench.host))).toMatchObject({ message });
  });
});

describe('A parent that hands over while a child is asked for', () => {
  test.each([
    ['its worker is refused since it is not there any more', GONE],
    ['its worker says what the child would be', ok(specWith(1))],
  ])('and %s leaves the child to the one that took over', (_how, prepared) => {
    const { bench, parent, asked, answers } = spawnBelow();
    const heir = bench.handOver(parent);
    bench.host.questions.answer(asked()[0]?.ref ?? -1, prepared);
    expect(asked().map(({ request }) => request.parent)).toEqual([parent.lineage.thread, heir.lineage.thread]);
    bench.host.questions.answer(asked()[1]?.ref ?? -1, ok(specWith(1)));
    bench.commit();
    expect(answers).toMatchObject([{ ok: true, value: { lineage: { parent: heir.lineage.thread } } }]);
    expect(told(bench)).toEqual([heir.lineage.thread]);
  });

  test('after its row was asked for has the one that took over hear of it', () => {
    const { bench, parent, asked, answers } = spawnBelow();
    bench.host.questions.answer(asked()[0]?.ref ?? -1, ok(specWith(1)));
    const heir = bench.handOver(parent);
    bench.commit();
    expect(answers).toMatchObject([{ ok: true }]);
    expect([told(bench), heir.children?.size]).toEqual([[heir.lineage.thread], 1]);
  });

  test('after its row was refused has it asked for once more', () => {
    const { bench, parent, asked, answers } = spawnBelow();
    bench.host.questions.answer(asked()[0]?.ref ?? -1, ok(specWith(1)));
    const heir = bench.handOver(parent);
    bench.commit((op) => (op.type === 'admit' ? { type: 'refused', remaining: 0 } : undefined));
    expect([answers, asked().at(-1)?.request.parent]).toEqual([[], heir.lineage.thread]);
  });

  test.each<[string, (below: Below) => void]>([
    ['its worker', ({ bench, asked }) => bench.host.questions.answer(asked()[0]?.ref ?? -1, GONE)],
    [
      'the store',
      ({ bench, asked }) => {
        bench.host.questions.answer(asked()[0]?.ref ?? -1, ok(specWith(1)));
        bench.commit(({ type }) => (type === 'admit' ? { type: 'failed', failure: NOT_RUNNING } : undefined));
      },
    ],
  ])('of which the host hears after %s has refused it leaves the child to the one that took over', (_who, refuse) => {
    const below = spawnBelow();
    const { bench, parent, asked, answers } = below;
    refuse(below);
    expect([answers, asked()]).toMatchObject([[], [{}]]);
    const heir = bench.handOver(parent);
    bench.host.questions.answer(asked()[1]?.ref ?? -1, ok(specWith(1)));
    bench.commit();
    expect(answers).toMatchObject([{ ok: true, value: { lineage: { parent: heir.lineage.thread } } }]);
    expect(told(bench)).toEqual([heir.lineage.thread]);
  });

  test('in a runtime that stops has the caller hear of the stop', () => {
    const { bench, parent, asked, answers } = spawnBelow();
    bench.handOver(parent);
    bench.host.questions.answer(asked()[0]?.ref ?? -1, STOPPED);
    expect([answers, asked().length]).toEqual([[STOPPED], 1]);
  });
});

test('A parent that hands over in a runtime that closes has the caller hear of that', () => {
  const { bench, parent, asked, answers } = spawnBelow();
  bench.host.questions.answer(asked()[0]?.ref ?? -1, GONE);
  bench.host.tell({ type: 'DRAIN', graceMs: 100 });
  bench.handOver(parent);
  expect(answers).toMatchObject([{ ok: false, failure: { code: 'runtime_closed' } }]);
});

describe('A parent of which its worker says that it does not run', () => {
  const SUSPENDED = {
    ok: false,
    failure: { code: 'invalid_argument', message: expect.stringContaining('is suspended') },
  };

  test.each<[string, (bench: HostBench, entry: ThreadEntry) => void, object]>([
    ['ends', (bench, entry) => bench.end(entry), GONE],
    ['is suspended', suspend, SUSPENDED],
    ['does nothing any more, since its runtime stops', (_bench, entry) => wake(entry), GONE],
  ])('and that %s has its child refused', (_how, change, refused) => {
    const { bench, parent, asked, answers } = spawnBelow();
    bench.host.questions.answer(asked()[0]?.ref ?? -1, GONE);
    expect(answers).toEqual([]);
    change(bench, parent);
    expect([answers, asked().length]).toEqual([[refused], 1]);
  });

  test.each<[string, (bench: HostBench, entry: ThreadEntry) => void, object]>([
    ['has ended', (bench, entry) => bench.end(entry), GONE],
    ['is suspended', suspend, SUSPENDED],
    ['is being cancelled', cancel, GONE],
    ['is suspended and being cancelled', (bench, entry) => [cancel, suspend].forEach((one) => one(bench, entry)), GONE],
  ])('and that %s before has its child refused at once', (_how, change, refused) => {
    const { bench, parent, asked, answers } = spawnBelow();
    change(bench, parent);
    bench.host.questions.answer(asked()[0]?.ref ?? -1, GONE);
    expect([answers, asked().length]).toEqual([[refused], 1]);
  });
});

test('What a parent that goes on may not have is refused', () => {
  const { bench, asked, answers } = spawnBelow();
  bench.host.questions.answer(asked()[0]?.ref ?? -1, TOO_DEEP);
  expect(answers).toEqual([TOO_DEEP]);
  expect(asked()).toHaveLength(1);
});

type Below = ReturnType<typeof spawnBelow>;

function suspend({ host }: HostBench, { lineage }: ThreadEntry): void {
  host.tell({ type: 'SUSPENDED', thread: lineage.thread, reason: 'user', cost: undefined });
}

function cancel({ host }: HostBench, { lineage }: ThreadEntry): void {
  host.tell({ type: 'CANCEL', thread: lineage.thread, reason: 'no' });
}

/** A child is being asked for below a running thread; what its worker was asked for, and how the caller was answered. */
function spawnBelow() {
  const bench = createHostBench();
  const parent = bench.spawn();
  const answers: Result<ThreadEntry>[] = [];
  const done = (answer: Result<ThreadEntry>): void => void answers.push(answer);
  bench.host.tell({ type: 'SPAWN', order: { request: REQUEST, parent, done } });
  const asked = () => bench.sent.flatMap((command) => (command.type === 'prepare' ? [command] : []));
  return { bench, parent, answers, asked };
}

/** Who was told of a child. */
function told({ sent }: HostBench): number[] {
  return sent.flatMap((command) => (command.type === 'childStarted' ? [command.thread] : []));
}
