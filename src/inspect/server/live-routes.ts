import { Hono } from 'hono';
import { SkeinError } from '../../core/errors.ts';
import type { Dashboard } from './dashboard.ts';
import { watchLive } from './live.ts';
import { QUERIES, readGiven } from './requests.ts';
import { createViewer, type Viewer } from './viewer.ts';

/** Viewers at a time. */
const MOST_VIEWERS = 32;

/** Who looks on now. */
export type Viewers = Set<Viewer>;

/** The live view: server-sent events. */
export function liveRoutes(dashboard: Dashboard, viewers: Viewers): Hono {
  const app = new Hono();
  app.get('/', async (c) => {
    const { level = [], ...one } = c.req.queries();
    const single = Object.fromEntries(Object.entries(one).map(([key, values]) => [key, values.join(',')]));
    const { level: levels, ...open } = readGiven(QUERIES.live, { ...single, level });
    if (viewers.size >= MOST_VIEWERS)
      throw new SkeinError('not_available', `There are ${MOST_VIEWERS} viewers already`);
    // That there is no project is said with a status, not in the stream.
    await dashboard.reach();
    const viewer = createViewer(dashboard.clock.now);
    viewers.add(viewer);
    viewer.gone.addEventListener('abort', () => viewers.delete(viewer), { once: true });
    watchLive(viewer, { levels, ...open }, dashboard);
    return c.body(viewer.body, 200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
  });
  return app;
}
