import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { toFailure } from '../../core/errors.ts';
import { listenHere, LOCAL_HOST, stopListening } from '../../core/listen-here.ts';
import { actionRoutes, approvalRoutes } from './action-routes.ts';
import type { Dashboard } from './dashboard.ts';
import { errorBody, toRefusal, toResponse } from './failure-reply.ts';
import { createGuard, nothingAt, type Refusal } from './guard.ts';
import { liveRoutes, type Viewers } from './live-routes.ts';
import type { PageFiles } from './page-files.ts';
import { projectRoutes } from './project-routes.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { threadRoutes } from './thread-routes.ts';

/** A dashboard that is served. */
export interface DashboardServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** Ends what is open, and frees the port. */
  close(): Promise<void>;
}

/** How a dashboard is served. */
export type ServingOptions = {
  readonly dashboard: Dashboard;
  readonly page: PageFiles;
  /** 0: any that is free. */
  readonly port: number;
  readonly token: string;
  /** Takes secrets out of the text of a failure. */
  readonly redact: (text: string) => string;
};

/**
 * Serves a dashboard on this machine alone.
 *
 * @throws SkeinError `invalid_argument`: the port is taken, or may not be used
 */
export async function serveDashboard(options: ServingOptions): Promise<DashboardServer> {
  const { dashboard, token, port } = options;
  const viewers: Viewers = new Set();
  const answer = getRequestListener(createApp(options, viewers).fetch, { overrideGlobalObjects: false });
  const server = createServer();
  const taken = await listenHere(server, port);
  const guard = createGuard({ port: taken, token });
  server.on('request', (request, response) => {
    const refusal = guard(request);
    if (refusal) return refuse(request, response, refusal);
    answer(request, response).catch((thrown: unknown) => dashboard.problem(toFailure(thrown)));
  });
  const close = async (): Promise<void> => {
    for (const viewer of viewers) viewer.close();
    await stopListening(server);
    await dashboard.close();
  };
  return { origin: `http://${LOCAL_HOST}:${taken}`, close, [Symbol.asyncDispose]: close };
}

function createApp({ dashboard, page, redact }: ServingOptions, viewers: Viewers): Hono {
  const app = new Hono();
  app.use('/api/*', async (c, next) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) c.header(name, value);
    await next();
  });
  app.route('/api', projectRoutes(dashboard));
  app.route('/api/threads', threadRoutes(dashboard));
  app.route('/api/threads', actionRoutes(dashboard));
  app.route('/api/approvals', approvalRoutes(dashboard));
  app.route('/api/live', liveRoutes(dashboard, viewers));
  app.get('*', (c) => page(c.req.path) ?? c.notFound());
  app.notFound((c) => toResponse(nothingAt(c.req.path)));
  app.onError((thrown) => {
    const refusal = toRefusal(thrown, redact);
    if (refusal.status === 500) dashboard.problem(toFailure(thrown));
    return toResponse(refusal);
  });
  return app;
}

/** Reads nothing more from the connection. */
function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  const headers = { ...SECURITY_HEADERS, 'content-type': 'application/json', connection: 'close' };
  response.writeHead(refusal.status, headers);
  response.end(JSON.stringify(errorBody(refusal)));
  request.unpipe();
}
