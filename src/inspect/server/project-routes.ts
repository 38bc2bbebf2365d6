import { Hono } from 'hono';
import { answerOrNone } from '../../core/answer-or-none.ts';
import type { ApiCounts, MachinesAnswer, ProjectAnswer, SearchAnswer, TimelineAnswer } from '../api.ts';
import type { Dashboard, Reached } from './dashboard.ts';
import { QUERIES, readGiven } from './requests.ts';
import { readTimeline } from './timeline.ts';
import { toSearchHit } from './to-wire.ts';

/** How long one page of a search looks, milliseconds. */
const SEARCH_MS = 1_000;

/** What is asked about the project as a whole. */
export function projectRoutes(dashboard: Dashboard): Hono {
  const app = new Hono();
  app.get('/project', async (c) => {
    readGiven(QUERIES.none, c.req.query());
    return c.json(await readProject(dashboard));
  });
  app.get('/search', async (c) => {
    const { query: text, ...place } = readGiven(QUERIES.search, c.req.query());
    const { connection } = await dashboard.reach();
    const { signal } = c.req.raw;
    const found = await connection.window.search({ text, ...place, timeMs: SEARCH_MS, signal });
    const { hits, searched, next, isArchived } = found;
    return c.json({
      hits: hits.map(toSearchHit),
      searched,
      ...(next !== undefined && { next }),
      ...(isArchived && { archived: true as const }),
    } satisfies SearchAnswer);
  });
  app.get('/timeline', async (c) => {
    const asked = readGiven(QUERIES.timeline, c.req.query());
    const { connection, totals } = await dashboard.reach();
    const sources = { window: connection.window, totals, clock: dashboard.clock };
    return c.json((await readTimeline(asked, sources)) satisfies TimelineAnswer);
  });
  app.get('/machines', (c) => c.json(dashboard.charts satisfies MachinesAnswer));
  return app;
}

async function readProject(dashboard: Dashboard): Promise<ProjectAnswer> {
  const { name, version } = dashboard;
  const { connection, totals } = await dashboard.reach();
  const all = await totals.of('all');
  return {
    name,
    version,
    runtime: await readRuntime(connection, all.counts),
    totals: all,
    pending_approvals: connection.window.pendingApprovals(),
  };
}

/** That it does not answer in time does not say that it is gone. */
async function readRuntime(
  { isRun, orchestrator }: Reached['connection'],
  { running = 0, created = 0 }: ApiCounts,
): Promise<ProjectAnswer['runtime']> {
  if (!isRun) return null;
  const view = await answerOrNone(orchestrator.call('view_runtime', {}));
  return view?.success
    ? { running: view.running, queued: view.queued, workers: view.workers }
    : { running, queued: created, workers: [] };
}
