import { expect, test } from 'vitest';
import type { ApprovalsAnswer } from '../api.ts';
import { approvalRoutes } from './action-routes.ts';
import type { Dashboard } from './dashboard.ts';

const APPROVAL = {
  thread_id: 'thread-1',
  directive: 'd',
  status: 'pending',
  reason: 'limit',
  asked_by: 'runtime',
  message: '',
  requested_at_ms: 1,
} as const;

/** The routes over a project with so many questions, of which it gives as many as are asked for. */
function routes(pending: number) {
  const call = async (
    _: string,
    { limit }: { readonly limit: number },
  ): Promise<Pick<ApprovalsAnswer, 'approvals'>> => ({
    approvals: Array.from({ length: Math.min(limit, pending) }, (_, at) => ({ ...APPROVAL, approval_id: `a-${at}` })),
  });
  // Nothing else is asked of a project here.
  return approvalRoutes({ reach: async () => ({ connection: { approvals: { call } } }) } as unknown as Dashboard);
}

test.each([
  [1_001, '', 100, true],
  [1_001, '?limit=1000', 1_000, true],
  [1_000, '?limit=1000', 1_000, false],
  [1, '', 1, false],
])(
  'Of %i questions the list%s has %i, and says whether others are left out: %s',
  async (pending, query, length, cut) => {
    const answer = await (await routes(pending).request(`/${query}`)).json();
    expect(answer).toEqual({ approvals: expect.objectContaining({ length }), cut });
  },
);
