import { createServer } from 'node:http';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Clock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import { LOCAL_HOST, listenHere, stopListening } from '../core/listen-here.ts';
import { createHttpGuard, MCP_PATH, refuseRequest } from './mcp-http-guard.ts';
import { McpHttpSessions, type Exchange } from './mcp-http-sessions.ts';

/** Where and how an MCP server is reached over HTTP. */
export type McpHttpOptions = {
  /** 0: any that is free. */
  readonly port: number;
  readonly token: string;
  /** Makes the server of a new session. */
  readonly createServer: () => McpServer;
  readonly clock: Clock;
  /** Told of what went wrong with a request. */
  readonly onProblem: (message: string) => void;
  /** Default 4 MiB. */
  readonly maxBodyBytes?: number;
  /** Default 32. */
  readonly maxSessions?: number;
  /** Default 30 minutes. */
  readonly idleMs?: number;
};

/** An MCP server that listens. */
export interface McpHttp {
  /** Where: with the port that was found. */
  readonly url: string;
  /** Sessions there are. */
  sessions(): number;
  /** Ends all sessions and connections. */
  close(): Promise<void>;
}

const DEFAULTS = { maxBodyBytes: 4 * 1024 * 1024, maxSessions: 32, idleMs: 30 * 60_000 };

/**
 * Serves MCP by streamable HTTP, on this machine only.
 *
 * @throws SkeinError `invalid_argument` for a port that can't be had
 */
export async function serveMcpHttp(given: McpHttpOptions): Promise<McpHttp> {
  const options = { ...DEFAULTS, ...given };
  const sessions = new McpHttpSessions(options);
  const http = createServer();
  const port = await listenHere(http, options.port);
  const guard = createHttpGuard({ ...options, port });
  http.on('request', (request, response) => {
    const refusal = guard(request);
    if (refusal) return refuseRequest(response, refusal);
    // What goes wrong is told there.
    void serve(sessions, { request, response }, options.onProblem);
  });
  return {
    url: `http://${LOCAL_HOST}:${port}${MCP_PATH}`,
    sessions: () => sessions.size(),
    close: async () => {
      http.close();
      await sessions.close();
      await stopListening(http);
    },
  };
}

async function serve(
  sessions: McpHttpSessions,
  exchange: Exchange,
  onProblem: (message: string) => void,
): Promise<void> {
  try {
    await sessions.serve(exchange);
  } catch (thrown) {
    onProblem(messageOf(thrown));
    const { response } = exchange;
    if (response.headersSent) response.destroy();
    else refuseRequest(response, { status: 500, message: 'The request could not be served' });
  }
}
