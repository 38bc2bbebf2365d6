import { expect, test } from 'vitest';
import { createHostBench, wholeSpecWith } from '../../../test/fixtures/host-bench.ts';
import type { ApprovalRow } from '../../core/store-approvals.ts';
import { NOTHING_STORED } from '../../store/untouched.ts';
import { createApprovalDesk } from './approval-desk.ts';

const ID = `approval-${'a'.repeat(32)}` as const;

/** A thread that has used its 25 turns and asks for more. */
function atItsLimit() {
  const rows: ApprovalRow[] = [];
  const reader = {
    ...NOTHING_STORED,
    spec: () => JSON.stringify(wholeSpecWith(1)),
    approval: () => rows[0],
    approvals: () => rows,
  };
  const bench = createHostBench({}, { reader });
  const { thread, threadId } = bench.spawn().lineage;
  bench.host.tell({ type: 'SUSPENDED', thread, reason: 'limit', cost: undefined });
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
  const desk = createApprovalDesk({ reader, running: { host: bench.host, isStopped: () => false } });
  return { bench, desk };
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
