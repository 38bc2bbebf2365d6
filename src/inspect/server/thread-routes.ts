import { Hono } from 'hono';
import { answerOrNone } from '../../core/answer-or-none.ts';
import type { ProjectConnection, ProjectWindow } from '../../index.ts';
import {
  ALL,
  ROOT,
  type ApiLimits,
  type EventAnswer,
  type EventsAnswer,
  type FailuresAnswer,
  type LevelAnswer,
  type PathAnswer,
  type PathStep,
  type PromptAnswer,
  type ThreadAnswer,
} from '../api.ts';
import type { Dashboard } from './dashboard.ts';
import { promptParts, promptPayload, PROMPT_EVENTS } from './prompt-parts.ts';
import { QUERIES, readGiven } from './requests.ts';
import { PATH_EVENTS, statePath, pathPayload } from './thread-path.ts';
import { toBudgetNode, toEnding, toRow } from './to-wire.ts';

/** Events about what went wrong, or was in the way. */
const FAILURE_EVENTS: ReadonlySet<string> = new Set([
  'error_classified',
  'limit_escalation_requested',
  'budget_overspend',
  'approval_requested',
  'approval_resolved',
  'thread_suspended',
  'thread_resumed',
  'thread_error',
  'thread_cancelled',
  'warning',
]);

/** States of one answer about a thread's path, and events that it is made of, without their texts. */
const MOST_STEPS = 500;
const MOST_PATH_EVENTS = 2 * MOST_STEPS;
/** Of these the last step is known as good as always. */
const NEWEST = 50;
/** Events of one answer about its failures. */
const MOST_FAILURES = 200;
const PROMPT_MESSAGES = 20;

/** What is read of threads. */
export function threadRoutes(dashboard: Dashboard): Hono {
  const app = new Hono();
  const window = async (): Promise<ProjectWindow> => (await dashboard.reach()).connection.window;
  app.get('/', async (c) => c.json(await readLevel(c.req.query(), dashboard)));
  app.get('/:id', async (c) => {
    readGiven(QUERIES.none, c.req.query());
    return c.json(await readThread(c.req.param('id'), (await dashboard.reach()).connection));
  });
  app.get('/:id/events', async (c) => c.json(await readEvents(c.req.param('id'), c.req.query(), await window())));
  app.get('/:id/events/:sequence', async (c) => {
    const { after } = readGiven(QUERIES.events, { after: c.req.param('sequence') });
    const event = await (await window()).event(c.req.param('id'), after ?? 0);
    return c.json({ event } satisfies EventAnswer);
  });
  app.get('/:id/path', async (c) => {
    const id = c.req.param('id');
    const { steps, isCut } = await readPath(id, await window());
    const cut = isCut || steps.length > MOST_STEPS;
    return c.json({ id, steps: steps.slice(-MOST_STEPS), cut } satisfies PathAnswer);
  });
  app.get('/:id/prompt', async (c) => {
    const id = c.req.param('id');
    const wanted = { limit: PROMPT_MESSAGES, types: PROMPT_EVENTS, keep: promptPayload };
    const page = await (await window()).log(id, { after: 0, ...wanted });
    return c.json({ id, parts: promptParts(page.events) } satisfies PromptAnswer);
  });
  app.get('/:id/failures', async (c) => {
    const id = c.req.param('id');
    const { before: earlier } = readGiven(QUERIES.failures, c.req.query());
    const wanted = { before: earlier, limit: MOST_FAILURES, types: FAILURE_EVENTS };
    const { events, before, after } = await (await window()).log(id, wanted);
    return c.json({ id, events, ...(before !== undefined && { before }), up_to: after } satisfies FailuresAnswer);
  });
  return app;
}

async function readLevel(given: object, dashboard: Dashboard): Promise<LevelAnswer> {
  const { parent: asked = ROOT, limit, after, status } = readGiven(QUERIES.level, given);
  const {
    connection: { window },
    totals,
  } = await dashboard.reach();
  const page = { limit, after, status };
  const { threads, next } =
    asked === ALL ? window.threads(page) : window.level(asked === ROOT ? undefined : asked, page);
  return {
    parent: asked,
    totals: await totals.of(asked === ALL ? 'all' : asked === ROOT ? 'roots' : { parent: asked }),
    threads: threads.map(toRow),
    ...(next !== undefined && { next }),
  };
}

async function readThread(id: string, { window, orchestrator, approvals }: ProjectConnection): Promise<ThreadAnswer> {
  const line = window.line(id).map(toRow);
  const thread = line.at(-1) ?? toRow(window.thread(id));
  const { inputs, limits } = window.spec(id);
  const pending = { status: 'pending', thread_id: thread.id, limit: 1 } as const;
  const asked = thread.status === 'suspended' ? (await approvals.call('list_approvals', pending)).approvals : [];
  return {
    thread,
    ancestors: line.slice(0, -1),
    budget: window.accounts(id).map(toBudgetNode),
    limits: toLimits(limits),
    inputs,
    machine: await machineOf(id, { thread, window, orchestrator }),
    chain: window.chain(id).map(({ id: one, status }) => ({ id: one, status })),
    approval: asked[0] ?? null,
    ending: toEnding(window.ending(id)),
  };
}

type MachineSources = Pick<ProjectConnection, 'window' | 'orchestrator'> & Pick<ThreadAnswer, 'thread'>;

/** Only a running thread has a state that its row does not tell. */
async function machineOf(
  id: string,
  { thread, window, orchestrator }: MachineSources,
): Promise<ThreadAnswer['machine']> {
  const { status } = thread;
  if (status !== 'running') return { state: status, as_of: 'log' };
  const told = await answerOrNone(orchestrator.inspectThread(id));
  if (told?.success && told.state !== undefined) return { state: told.state, as_of: 'worker' };
  const { steps, isCut } = await readPath(id, window, NEWEST);
  const all = steps.length === 0 && isCut ? (await readPath(id, window)).steps : steps;
  return { state: all.at(-1)?.state ?? 'running.starting', as_of: 'log' };
}

type Path = { readonly steps: readonly PathStep[]; readonly isCut: boolean };

async function readPath(id: string, window: ProjectWindow, limit: number = MOST_PATH_EVENTS): Promise<Path> {
  const { events, before } = await window.log(id, { limit, types: PATH_EVENTS, keep: pathPayload });
  const isCut = before !== undefined;
  return { steps: statePath({ events, isCut }), isCut };
}

async function readEvents(id: string, given: object, window: ProjectWindow): Promise<EventsAnswer> {
  const { types, ...place } = readGiven(QUERIES.events, given);
  const { events, before, after, more } = await window.log(id, { ...place, types: types && new Set(types) });
  return { id, events, ...(before !== undefined && { before }), after, more };
}

function toLimits(limits: ReturnType<ProjectWindow['spec']>['limits']): ApiLimits | null {
  if (!limits) return null;
  const { turns, tokens, spend, spawns, depth, duration_seconds } = limits;
  return { turns, tokens, spend, spawns, depth, duration_seconds };
}
