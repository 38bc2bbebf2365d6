import { h } from 'preact';
import { expect, test } from 'vitest';
import type { ApprovalsAnswer } from '../../api.ts';
import { draw } from '../fixtures/drawn.ts';
import { ApprovalsView } from './approvals-view.tsx';

/** What the server answers with so many questions. */
function answer(length: number, cut: boolean): ApprovalsAnswer {
  const approvals = Array.from({ length }, (_, at) => ({
    approval_id: `approval-${at}`,
    thread_id: 'thread-1',
    directive: `question ${at} `,
    status: 'pending' as const,
    reason: 'limit',
    asked_by: 'runtime',
    message: '',
    requested_at_ms: 1,
  }));
  return { approvals, cut };
}

test.each([
  [120, false, false],
  [3, true, true],
])('All questions are asked for; of %i (others left out: %s) it is said that there are others: %s', async (...row) => {
  const [length, cut, isSaid] = row;
  const drawn = draw(h(ApprovalsView, {}), (path) => (path.startsWith('approvals') ? answer(length, cut) : undefined));
  await expect.poll(drawn.text).toContain(`question ${length - 1} `);
  expect(drawn.asked).toContain('approvals?status=pending&limit=1000');
  expect(drawn.text().includes(`The newest ${length} are shown; earlier ones are left out.`)).toBe(isSaid);
});
