import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ErrorCode, McpError, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import type { Clock } from '../core/clock.ts';
import { codeOf } from '../core/code-of.ts';
import { SkeinError, messageOf } from '../core/errors.ts';
import { doneWithin } from '../core/done-within.ts';
import { AwaitedAnswers } from './mcp-awaited-answers.ts';
import { foreignText } from './mcp-foreign-text.ts';
import { createMcpLine, type LineSurroundings, type McpLine, type NamedServer } from './mcp-line.ts';

/** What a session needs from around it. */
export type SessionSurroundings = LineSurroundings & {
  /** Called once, when the connection is of no use any more, whoever ended it. */
  readonly closed: () => void;
  /** The server has other tools now. */
  readonly toolsChanged: () => void;
};

/** A result as a server gives it; what is in it is not checked. */
export type McpResult = z.output<typeof resultSchema>;

/** A call to be made. */
export type McpCall = {
  /** The tool, as the server calls it. */
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Cancels the request; the server is told. */
  readonly signal: AbortSignal;
};

/** A connection to an MCP server. Every failure is `tool_failed` with a `detail.reason`, see {@link explain}. */
export interface McpSession {
  /**
   * Connects, and starts the server if it is a program. To be called once, before anything else but `kill`.
   *
   * @param until by the clock's stopwatch
   */
  open(until: number): Promise<void>;
  /** The tools as the server lists them, all of them until then. */
  list(until: number): Promise<readonly unknown[]>;
  call(call: McpCall): Promise<McpResult>;
  /** Ends it in good order. */
  close(): Promise<void>;
  /** Ends it at once. */
  kill(): void;
}

/**
 * Makes a session; nothing is started yet.
 *
 * @throws SkeinError as `createMcpLine`
 */
export function createMcpSession(server: NamedServer, around: SessionSurroundings): McpSession {
  return new ClientSession(server, createMcpLine(server, around), around);
}

/** For answering a ping when something looked wrong, if calls may take as long and none still does. */
const PING_MS = 5_000;
const MAX_PAGES = 16;
const MAX_REASON = 500;

const pageSchema = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });
const resultSchema = z.looseObject({
  // Not looked through: a server may give millions of entries.
  content: z.custom<readonly unknown[]>(Array.isArray).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});

class ClientSession implements McpSession {
  readonly #server: NamedServer;
  readonly #line: McpLine;
  readonly #client = new Client({ name: 'skein', version: '1' });
  readonly #clock: Clock;
  readonly #timeout: number;
  readonly #closed: () => void;
  /** The calls that wait for their results, and until when by the clock's stopwatch. */
  readonly #waiting = new Map<McpCall, number>();
  #state: 'opening' | 'up' | 'closed' = 'opening';
  #isPinging = false;

  constructor(server: NamedServer, line: McpLine, { clock, closed, toolsChanged }: SessionSurroundings) {
    this.#server = server;
    this.#line = line;
    this.#clock = clock;
    this.#timeout = server.config.timeoutSeconds * 1000;
    this.#closed = closed;
    this.#client.onclose = () => this.#over();
    // A stream that broke says so here, and to none of the calls that wait for its answers.
    this.#client.onerror = () => void this.#endIfDead();
    this.#client.setNotificationHandler(ToolListChangedNotificationSchema, toolsChanged);
  }

  async open(until: number): Promise<void> {
    const timeout = this.#left(until);
    try {
      const connected = this.#client.connect(new AwaitedAnswers(this.#line.transport), { timeout });
      // The client limits what it asks, and not what else it sends.
      if (!(await doneWithin(timeout, connected, this.#clock))) throw late(timeout);
      this.#state = 'up';
    } catch (thrown) {
      this.kill();
      throw this.#explain(thrown);
    }
  }

  async list(until: number): Promise<readonly unknown[]> {
    const tools: unknown[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const params = cursor === undefined ? {} : { cursor };
      const page = await this.#explained(
        this.#client.request({ method: 'tools/list', params }, pageSchema, { timeout: this.#left(until) }),
      );
      tools.push(...page.tools);
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
    return tools;
  }

  async call(call: McpCall): Promise<McpResult> {
    const { tool, input, signal } = call;
    // Says nothing of the line.
    signal.throwIfAborted();
    const request = { method: 'tools/call' as const, params: { name: tool, arguments: input } };
    this.#waiting.set(call, this.#clock.stopwatch() + this.#timeout);
    const answer = this.#client.request(request, resultSchema, { timeout: this.#timeout, signal });
    return this.#explained(answer.finally(() => this.#waiting.delete(call)));
  }

  async close(): Promise<void> {
    if (this.#state === 'up') await this.#line.leave();
    await this.#client.close();
    // What the line still holds.
    this.#line.kill();
  }

  kill(): void {
    // Nobody is to use it while it dies.
    this.#over();
    this.#line.kill();
  }

  #left(until: number): number {
    return Math.max(0, until - this.#clock.stopwatch());
  }

  #over(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#closed();
  }

  async #explained<Value>(work: Promise<Value>): Promise<Value> {
    try {
      return await work;
    } catch (thrown) {
      const answered = thrown instanceof McpError && !isTimeout(thrown);
      if (!answered) void this.#endIfDead();
      throw this.#explain(thrown);
    }
  }

  #explain(thrown: unknown): SkeinError {
    const isOver = this.#state !== 'up';
    return explain(thrown, { server: this.#server, fault: this.#line.fault(), isOver });
  }

  /** A server that does not answer a ping any more is ended, and with it the calls that wait for it. */
  async #endIfDead(): Promise<void> {
    if (this.#isPinging || this.#state !== 'up') return;
    this.#isPinging = true;
    try {
      await this.#client.ping({ timeout: this.#pingMs() });
    } catch {
      // Whatever the reason: the next call connects again.
      this.kill();
    } finally {
      this.#isPinging = false;
    }
  }

  /** A server that does one thing after the other answers the calls that still wait first. */
  #pingMs(): number {
    const longest = this.#left(Math.max(0, ...this.#waiting.values()));
    return Math.min(this.#timeout, Math.max(PING_MS, longest));
  }
}

type Circumstances = { readonly server: NamedServer; readonly fault: string; readonly isOver: boolean };

/**
 * What went wrong, as a failure for the model. `detail.reason`: `timeout`, `crashed` (the server ended or was ended),
 * `refused` (it answered with an error), `not_connected`.
 */
function explain(thrown: unknown, { server, fault, isOver }: Circumstances): SkeinError {
  const { name, config } = server;
  const failure = (reason: string, message: string): SkeinError =>
    new SkeinError('tool_failed', `the MCP server ${name} ${message}`, { detail: { reason, server: name } });
  const because = fault === '' ? '' : `: ${fault}`;
  if (isTimeout(thrown)) return failure('timeout', `did not answer within ${config.timeoutSeconds} s${because}`);
  const said = foreignText(messagesOf(thrown).join(': '), MAX_REASON);
  if ((isOver && thrown instanceof McpError) || isBrokenPipe(thrown)) return failure('crashed', `ended${because}`);
  if (thrown instanceof McpError) return failure('refused', `refused the request: ${said}`);
  if (thrown instanceof z.core.$ZodError) return failure('refused', 'gave an answer that is none by the protocol');
  return failure('not_connected', `can't be reached: ${said}${because}`);
}

/** A server that ends at once may be gone before anything could be written to it. */
function isBrokenPipe(thrown: unknown): boolean {
  return codeOf(thrown) === 'EPIPE';
}

/** As the SDK's client says it. */
function late(timeout: number): Error {
  return McpError.fromError(ErrorCode.RequestTimeout, 'Request timed out', { timeout });
}

function isTimeout(thrown: unknown): boolean {
  // A server may use the code too; the SDK's own error says how long it has waited.
  const code: number = ErrorCode.RequestTimeout;
  return (
    thrown instanceof McpError &&
    thrown.code === code &&
    z.object({ timeout: z.number() }).safeParse(thrown.data).success
  );
}

/** `fetch failed` alone tells nothing. */
function messagesOf(thrown: unknown): readonly string[] {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  const message = messageOf(thrown);
  return cause instanceof Error && cause.message !== '' ? [message, cause.message] : [message];
}
