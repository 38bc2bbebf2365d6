import { Hono } from 'hono';
import type { z } from 'zod';
import { SkeinError, type SkeinErrorCode } from '../../core/errors.ts';
import type { Approvals, Orchestrator } from '../../index.ts';
import type { ActionAnswer, ApprovalRow, ApprovalsAnswer } from '../api.ts';
import type { Dashboard } from './dashboard.ts';
import { toResponse } from './failure-reply.ts';
import { tooLarge } from './guard.ts';
import { readBody } from './read-body.ts';
import { BODIES, QUERIES, readGiven } from './requests.ts';

/** Who answers, as the log has it. */
const BY = 'dashboard';

/** What is done to threads. */
export function actionRoutes(dashboard: Dashboard): Hono {
  const app = new Hono();
  const orchestrator = async (): Promise<Orchestrator> => (await dashboard.reach()).connection.orchestrator;
  const asked = change(app);
  asked('cancel', BODIES.cancel, async (id, { tree = false }) => {
    const threads = await orchestrator();
    accepted(tree ? await threads.killThread(id) : await threads.cancelThread(id));
    return answerOf(accepted(await threads.getStatus(id)));
  });
  asked('suspend', BODIES.suspend, async (id) => answerOf(accepted(await (await orchestrator()).suspendThread(id))));
  asked('resume', BODIES.resume, async (id, { message, ...options }) =>
    answerOf(accepted(await (await orchestrator()).resumeThread(id, message, options))),
  );
  asked('fork', BODIES.fork, async (id, fork) => answerOf(accepted(await (await orchestrator()).forkThread(id, fork))));
  return app;
}

/** What threads ask of people, and the answers. */
export function approvalRoutes(dashboard: Dashboard): Hono {
  const app = new Hono();
  const approvals = async (): Promise<Approvals> => (await dashboard.reach()).connection.approvals;
  app.get('/', async (c) => {
    const { status, limit } = readGiven(QUERIES.approvals, c.req.query());
    const asked = { limit: limit + 1, ...(status !== 'all' && { status }) };
    const { approvals: list } = await (await approvals()).call('list_approvals', asked);
    return c.json({ approvals: list.slice(0, limit), cut: list.length > limit } satisfies ApprovalsAnswer);
  });
  const asked = change(app);
  asked('grant', BODIES.grant, async (id, grant): Promise<ApprovalRow> =>
    (await approvals()).call('grant_approval', { ...grant, approval_id: id, by: BY }),
  );
  asked('deny', BODIES.deny, async (id, denial): Promise<ApprovalRow> =>
    (await approvals()).call('deny_approval', { ...denial, approval_id: id, by: BY }),
  );
  return app;
}

type Change = <Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  act: (id: string, body: z.output<Schema>) => Promise<object>,
) => void;

/** What adds a change to the routes: that of what has an id, as its body says. */
function change(app: Hono): Change {
  return (name, schema, act) => {
    app.post(`/:id/${name}`, async (c) => {
      const text = await readBody(c.req.raw);
      if (text === undefined) return toResponse(tooLarge());
      return c.json(await act(c.req.param('id'), readGiven(schema, parseJson(text))));
    });
  };
}

/** @throws SkeinError `invalid_argument` */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text === '' ? '{}' : text);
  } catch (cause) {
    throw new SkeinError('invalid_argument', 'The body is no JSON', { cause });
  }
}

type Refused = { readonly success: false; readonly error: string; readonly code: string };

/** @throws SkeinError why it was not carried out */
function accepted<Answer extends { readonly success: boolean }>(
  answer: Answer,
): Exclude<Answer, { readonly success: false }> {
  if (isRefused(answer)) {
    // The runtime's own: one of the closed union.
    throw new SkeinError(answer.code as SkeinErrorCode, answer.error);
  }
  // The type of whatever is no refusal.
  return answer as Exclude<Answer, { readonly success: false }>;
}

function isRefused(answer: { readonly success: boolean }): answer is Refused {
  return !answer.success && 'error' in answer && 'code' in answer;
}

function answerOf({
  threadId,
  status,
}: {
  readonly threadId: string;
  readonly status: ActionAnswer['status'];
}): ActionAnswer {
  return { id: threadId, status };
}
