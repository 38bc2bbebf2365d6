import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Clock, Timer } from '../core/clock.ts';
import { refuseRequest } from './mcp-http-guard.ts';

/** What the sessions of an HTTP server need. */
export type HttpSessionsOptions = {
  /** Makes the server of a new session. */
  readonly createServer: () => McpServer;
  readonly clock: Clock;
  readonly maxBodyBytes: number;
  readonly maxSessions: number;
  /** How long a session without any request in flight or open stream is kept. */
  readonly idleMs: number;
};

/** A request and its answer. */
export type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

type Session = {
  readonly server: McpServer;
  readonly transport: StreamableHTTPServerTransport;
  /** Answers that are not finished. */
  open: number;
  timer: Timer | undefined;
};

/**
 * The sessions of clients over HTTP.
 *
 * Invariants: (1) never more than `maxSessions`: a new one takes the place of the one that was used the longest time ago
 * and has nothing open; (2) a session leaves the map when it is closed, by whomever, and what it still runs is aborted;
 * (3) only sessions with nothing open have a timer.
 */
export class McpHttpSessions {
  readonly #options: HttpSessionsOptions;
  /** The longest unused first. */
  readonly #sessions = new Map<string, Session>();
  #opening = 0;

  constructor(options: HttpSessionsOptions) {
    this.#options = options;
  }

  size(): number {
    return this.#sessions.size;
  }

  /** Serves a request that passed the guard. */
  async serve(exchange: Exchange): Promise<void> {
    const id = exchange.request.headers['mcp-session-id'];
    if (id === undefined) return this.#begin(exchange);
    const session = typeof id === 'string' ? this.#sessions.get(id) : undefined;
    if (typeof id !== 'string' || !session) {
      return refuseRequest(exchange.response, { status: 404, message: 'There is no such session' });
    }
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return this.#pass(session, exchange);
  }

  /** Closes all of them. */
  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ server }) => server.close()));
  }

  /** A request without a session can only begin one; the transport refuses every other. */
  async #begin(exchange: Exchange): Promise<void> {
    if (!(await this.#makeRoom())) {
      return refuseRequest(exchange.response, { status: 503, message: 'There are too many sessions' });
    }
    this.#opening += 1;
    try {
      const session = await this.#create();
      await this.#pass(session, exchange);
      if (session.transport.sessionId === undefined) await session.server.close();
    } finally {
      this.#opening -= 1;
    }
  }

  async #create(): Promise<Session> {
    const { createServer, maxBodyBytes } = this.#options;
    const server = createServer();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: maxBodyBytes,
      onsessioninitialized: (id) => void this.#sessions.set(id, session),
    });
    const session: Session = { server, transport, open: 0, timer: undefined };
    server.server.onclose = () => {
      this.#stopTimer(session);
      this.#sessions.delete(transport.sessionId ?? '');
    };
    await server.connect(transport);
    return session;
  }

  async #pass(session: Session, { request, response }: Exchange): Promise<void> {
    session.open += 1;
    this.#stopTimer(session);
    response.once('close', () => {
      session.open -= 1;
      if (session.open === 0) this.#startTimer(session);
    });
    await session.transport.handleRequest(request, response);
  }

  async #makeRoom(): Promise<boolean> {
    if (this.#sessions.size + this.#opening < this.#options.maxSessions) return true;
    const idle = [...this.#sessions.values()].find(({ open }) => open === 0);
    await idle?.server.close();
    return idle !== undefined;
  }

  #startTimer(session: Session): void {
    // Closed meanwhile, or never begun: nobody would clear the timer.
    if (this.#sessions.get(session.transport.sessionId ?? '') !== session) return;
    const { clock, idleMs } = this.#options;
    session.timer = clock.setTimer(idleMs, () => void session.server.close());
  }

  #stopTimer(session: Session): void {
    if (session.timer !== undefined) this.#options.clock.clearTimer(session.timer);
    session.timer = undefined;
  }
}
