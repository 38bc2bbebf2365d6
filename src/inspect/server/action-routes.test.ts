import { expect, test } from 'vitest';
import type { Approval } from '../../index.ts';
import { approvalRoutes } from './action-routes.ts';
import type { Dashboard } from './dashboard.ts';

/** The routes over a project with so many questions, of which it gives as many as are asked for. */
function routes(pending: number) {
  const list = async ({ limit = 100 }: { readonly limit?: number }): Promise<readonly Approval[]> =>
    Array.from({ length: Math.min(limit, pending) }, (_, at) => ({
      approvalId: `approval-${at}`,
      threadId: 'thread-1',
      directive: 'd',
      status: 'pending',
      reason: 'limit',
      askedBy: 'runtime',
      message: '',
      requestedAtMs: 1,
    }));
  // Nothing else is asked of a project here.
  return approvalRoutes({ reach: async () => ({ connection: { approvals: { list } } }) } as unknown as Dashboard);
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
