import { describe, expect, test } from 'vitest';
import { createHostBench, wholeSpecWith } from '../../../test/fixtures/host-bench.ts';
import { failed } from '../../core/result.ts';
import type { ApprovalRow } from '../../core/store-approvals.ts';
import { NOTHING_STORED } from '../../store/untouched.ts';
import { addWaiter, wake } from '../waits/waiters.ts';
import { createApprovalDesk } from './approval-desk.ts';

const ID = `approval-${'a'.repeat(32)}` as const;

/** A thread that has used its 25 turns and asks for more; an error of it ends it after its child, if it has one. */
function atItsLimit({ hasChild = false, isHeard = true } = {}) {
  const rows: ApprovalRow[] = [];
  const reader = {
    ...NOTHING_STORED,
    spec: () => JSON.stringify(wholeSpecWith(1)),
    approval: () => rows[0],
    approvals: () => rows,
  };
  const bench = createHostBench({ child_policy: { on_parent_error: 'wait' } }, { reader });
  const entry = bench.spawn();
  const { thread, threadId } = entry.lineage;
  if (hasChild) bench.spawn({ parent: entry });
  const hear = (): void => bench.host.tell({ type: 'SUSPENDED', thread, reason: 'limit', cost: undefined });
  if (isHeard) hear();
  rows.push({
    approvalId: ID,
    thread,
    threadId,
    directive: 'demo/task',
    status: 'pending',
    reason: 'limit',
    askedBy: 'on_exceed',
    message: 'May I?',
    limitCode: 'turns_exceeded',
    currentValue: 25,
    currentMax: 25,
    suggested: 50,
    requestedAt: 0,
    decidedAt: undefined,
    decidedBy: undefined,
    granted: undefined,
  });
  let isStopped = false;
  const desk = createApprovalDesk({ reader, running: { host: bench.host, isStopped: () => isStopped } });
  const stop = (): void => {
    isStopped = true;
    const closed = failed({ code: 'runtime_closed', message: 'The runtime has stopped' });
    for (const done of bench.host.awaitingStore.values()) done(closed);
    wake(entry);
  };
  /** As a store does of which the host hears nothing more. */
  const write = (status: ApprovalRow['status']): void => {
    for (const [index, row] of rows.entries()) rows[index] = { ...row, status };
  };
  return { bench, desk, entry, hear, write, stop };
}

test.each(['ann', 'resume'])('A grant of too little is refused whoever gives it: %s', async (by) => {
  for (const limits of [{}, { turns: 25 }, { turns: 50, tokens: 1 }]) {
    const { bench, desk } = atItsLimit();
    const granted = desk.call('grant_approval', { approval_id: ID, limits, by });
    bench.commit();
    await expect(granted).rejects.toMatchObject({ code: 'invalid_argument' });
  }
});

test.each(['ann', 'resume'])('A grant of enough is given: %s', async (by) => {
  const { bench, desk } = atItsLimit();
  const granted = desk.call('grant_approval', { approval_id: ID, limits: { turns: 50 }, by });
  bench.commit();
  expect(await granted).toMatchObject({ approval_id: ID });
});

describe('A request that is on disk before the host has heard of the suspension', () => {
  test.each<[string, object, isWaiting: boolean]>([
    ['grant_approval', { limits: { turns: 50 } }, false],
    ['grant_approval', { limits: { turns: 50 } }, true],
    ['deny_approval', {}, false],
    ['deny_approval', {}, true],
  ])('is answered as soon as it has: %s %j, of a thread that waits for others: %s', async (name, said, isWaiting) => {
    const { bench, desk, entry, hear } = atItsLimit({ isHeard: false });
    entry.joining = isWaiting;
    bench.host.tell({ type: 'WAITING', thread: entry.lineage.thread });
    expect(entry.phase).toBe(isWaiting ? 'waiting' : 'running');
    const answer = desk.call(name, { approval_id: ID, ...said });
    hear();
    await new Promise(setImmediate);
    bench.commit();
    expect(await answer).toMatchObject({ approval_id: ID });
  });

  test('is not answered if the runtime stops before', async () => {
    const { desk, stop } = atItsLimit({ isHeard: false });
    const granted = desk.call('grant_approval', { approval_id: ID, limits: { turns: 50 } });
    stop();
    await expect(granted).rejects.toMatchObject({ code: 'runtime_closed' });
  });
});

test('Who resumes the thread says what it goes on with: it may be less than was asked for', () => {
  const { bench } = atItsLimit();
  const [entry] = bench.host.table.live();
  if (!entry) throw new Error('The thread has gone');
  const told: unknown[] = [];
  const done = (answer: unknown): void => void told.push(answer);
  bench.host.tell({ type: 'RESUME', order: { entry, message: undefined, limits: { turns: 2 }, done } });
  const decisions: unknown[] = [];
  bench.commit((op) => {
    if (op.type === 'step') decisions.push(op.decision);
    return undefined;
  });
  expect(told).toMatchObject([{ ok: true }]);
  expect(decisions).toEqual([{ approvalId: ID, status: 'granted', by: 'resume', granted: '{"turns":2}' }]);
});

test.each<[string, object, ApprovalRow['status']]>([
  ['deny_approval', { by: 'ann' }, 'denied'],
  ['grant_approval', { by: 'ann', limits: { turns: 30 } }, 'granted'],
])('An answer that is on disk when the runtime fails counts, unheard as it is: %s', async (name, said, status) => {
  const { bench, desk, write, stop } = atItsLimit();
  const answer = desk.call(name, { approval_id: ID, ...said });
  await new Promise(setImmediate);
  expect(bench.pending).toMatchObject([{ type: 'load' }]);
  write(status);
  stop();
  expect(await answer).toMatchObject({ approval_id: ID, status });
});

test('A denial that waits for children when the runtime stops is refused: nothing of it is on disk', async () => {
  const { bench, desk, entry, stop } = atItsLimit({ hasChild: true });
  const denied = desk.call('deny_approval', { approval_id: ID, by: 'ann' });
  await new Promise(setImmediate);
  expect([entry.heldEnd?.status, bench.pending]).toEqual(['error', []]);
  stop();
  await expect(denied).rejects.toMatchObject({ code: 'runtime_closed' });
});

test('A grant that is on disk counts, though its thread is cancelled meanwhile and does not go on', async () => {
  const { bench, desk, entry, write } = atItsLimit();
  const granted = desk.call('grant_approval', { approval_id: ID, limits: { turns: 50 } });
  bench.host.tell({ type: 'CANCEL', thread: entry.lineage.thread, reason: 'enough' });
  bench.commit((op) => {
    if (op.type === 'step' && op.decision) write(op.decision.status);
    return undefined;
  });
  expect(await granted).toMatchObject({ approval_id: ID, status: 'granted' });
  expect(entry.ending?.status).toBe('cancelled');
});

test('A grant that a cancellation of the same moment comes before is refused as one of a thread that ends', async () => {
  const { bench, desk, entry } = atItsLimit();
  const other = bench.spawn();
  let granted: Promise<unknown> | undefined;
  // What is asked for while the host handles something else is handled after that.
  addWaiter(bench.host.table, other, () => {
    bench.host.tell({ type: 'CANCEL', thread: entry.lineage.thread, reason: 'enough' });
    granted = desk.call('grant_approval', { approval_id: ID, limits: { turns: 50 } });
  });
  bench.end(other);
  await expect(granted).rejects.toMatchObject({ code: 'thread_ended' });
});
