import { Hono, type Context } from 'hono';
import type { z } from 'zod';
import { SkeinError, type SkeinErrorCode } from '../../core/errors.ts';
import type { Approvals, Orchestrator } from '../../index.ts';
import type { ActionAnswer, ApprovalsAnswer } from '../api.ts';
import type { Dashboard } from './dashboard.ts';
import { readBody } from './read-body.ts';
import { BODIES, QUERIES, readGiven } from './requests.ts';
import { toApproval } from './to-wire.ts';

/** Who answers, as the log has it. */
const BY = 'dashboard';

/** What is done to threads. */
export function actionRoutes(dashboard: Dashboard): Hono {
  const app = new Hono();
  const orchestrator = async (): Promise<Orchestrator> => (await dashboard.reach()).connection.orchestrator;
  app.post('/:id/cancel', async (c) => {
    const { tree = false } = await bodyOf(c, BODIES.cancel);
    const id = c.req.param('id');
    const threads = await orchestrator();
    accepted(tree ? await threads.killThread(id) : await threads.cancelThread(id));
    const { threadId, status } = accepted(await threads.getStatus(id));
    return c.json({ id: threadId, status } satisfies ActionAnswer);
  });
  app.post('/:id/suspend', async (c) => {
    await bodyOf(c, BODIES.suspend);
    return c.json(answerOf(accepted(await (await orchestrator()).suspendThread(c.req.param('id')))));
  });
  app.post('/:id/resume', async (c) => {
    const { message, ...options } = await bodyOf(c, BODIES.resume);
    return c.json(answerOf(accepted(await (await orchestrator()).resumeThread(c.req.param('id'), message, options))));
  });
  app.post('/:id/fork', async (c) => {
    const fork = await bodyOf(c, BODIES.fork);
    return c.json(answerOf(accepted(await (await orchestrator()).forkThread(c.req.param('id'), fork))));
  });
  return app;
}

/** What threads ask of people, and the answers. */
export function approvalRoutes(dashboard: Dashboard): Hono {
  const app = new Hono();
  const approvals = async (): Promise<Approvals> => (await dashboard.reach()).connection.approvals;
  app.get('/', async (c) => {
    const { status, limit } = readGiven(QUERIES.approvals, c.req.query());
    const list = await (await approvals()).list({ limit: limit + 1, ...(status !== 'all' && { status }) });
    const answer = { approvals: list.slice(0, limit).map(toApproval), cut: list.length > limit };
    return c.json(answer satisfies ApprovalsAnswer);
  });
  app.post('/:id/grant', async (c) => {
    const { limits: { duration_seconds: durationSeconds, ...limits } = {}, message } = await bodyOf(c, BODIES.grant);
    const grant = {
      ...limits,
      ...(durationSeconds !== undefined && { durationSeconds }),
      ...(message !== undefined && { message }),
      by: BY,
    };
    return c.json(toApproval(await (await approvals()).grant(c.req.param('id'), grant)));
  });
  app.post('/:id/deny', async (c) => {
    const { message } = await bodyOf(c, BODIES.deny);
    const answer = { ...(message !== undefined && { message }), by: BY };
    return c.json(toApproval(await (await approvals()).deny(c.req.param('id'), answer)));
  });
  return app;
}

/** @throws SkeinError `invalid_argument`, and as `readBody` */
async function bodyOf<Schema extends z.ZodType>(c: Context, schema: Schema): Promise<z.output<Schema>> {
  return readGiven(schema, await readJson(c));
}

async function readJson(c: Context): Promise<unknown> {
  const text = await readBody(c.req.raw);
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
