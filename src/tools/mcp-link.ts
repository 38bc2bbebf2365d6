import { SkeinError, toFailure, messageOf, type Failure } from '../core/errors.ts';
import { failed } from '../core/result.ts';
import type { ToolOutcome } from '../core/tool.ts';
import { readDefinitions, type McpDefinition } from './mcp-definitions.ts';
import type { LineSurroundings, NamedServer } from './mcp-line.ts';
import { mcpOutcome } from './mcp-outcome.ts';
import type { McpSession } from './mcp-session.ts';

/** What a link needs from around it. */
export type LinkSurroundings = LineSurroundings & {
  /** Told of tools that are left out, and of attempts to connect that failed. */
  readonly onProblem: (failure: Failure) => void;
};

/** A call of a tool by its item id. */
export type LinkCall = {
  readonly id: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
};

type Definitions = ReadonlyMap<string, McpDefinition>;

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;

/**
 * A configured server, connected or not.
 *
 * Owns: the one session there is at a time. It is opened when it is needed, and again at the next call after it is gone: at
 * once the first time, then ever more rarely until a call has succeeded.
 *
 * Invariants: (1) at most one session, and one attempt to open it; (2) what the server offered last stays known while it is
 * gone; (3) after `close` or `kill` nothing is started.
 */
export class McpLink {
  readonly #server: NamedServer;
  readonly #around: LinkSurroundings;
  #session: McpSession | undefined;
  #attempt: McpSession | undefined;
  #opening: Promise<McpSession> | undefined;
  #definitions: Definitions | undefined;
  #isStale = false;
  #losses = 0;
  #notBefore = 0;
  #trouble = '';
  #isClosed = false;

  constructor(server: NamedServer, around: LinkSurroundings) {
    this.#server = server;
    this.#around = around;
  }

  /** What the server offers, or offered when it was last connected; undefined until it is asked. The same until it changes. */
  definitions(): Definitions | undefined {
    return this.#definitions;
  }

  /** Why nothing is known of its tools; empty if that is known. */
  trouble(): string {
    return this.#definitions ? '' : this.#trouble;
  }

  /** Asks the server for its tools. Undefined if there is nothing to wait for; never rejects: see `trouble`. */
  prepare(): Promise<void> | undefined {
    if (this.#definitions && !(this.#isStale && this.#session)) return undefined;
    return this.#ready().then(
      () => undefined,
      (thrown: unknown) => {
        this.#trouble = messageOf(thrown);
      },
    );
  }

  /** Calls a tool. Never rejects; after `signal` is aborted the outcome means nothing. */
  async call({ id, input, signal }: LinkCall): Promise<ToolOutcome> {
    try {
      const session = await this.#ready();
      const definition = this.#definitions?.get(id);
      if (!definition) throw new SkeinError('tool_unknown', `the MCP server ${this.#server.name} has no tool ${id}`);
      const checked = definition.check(input);
      if (!checked.ok) return checked;
      const result = await session.call({ tool: definition.name, input: checked.value, signal });
      this.#losses = 0;
      return mcpOutcome(id, result);
    } catch (thrown) {
      return failed(toFailure(thrown, 'tool_failed'));
    }
  }

  /** Ends the connection in good order. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#attempt?.kill();
    if (this.#opening) {
      // It may be open, and say nothing of its tools.
      this.#session?.kill();
      // Whoever waits for it hears of its end.
      await this.#opening.catch(() => undefined);
    }
    await this.#session?.close();
  }

  /** Ends the connection at once. */
  kill(): void {
    this.#isClosed = true;
    this.#attempt?.kill();
    this.#session?.kill();
  }

  /** The session, with the server's tools as they are now. */
  async #ready(): Promise<McpSession> {
    if (this.#session && !this.#isStale) return this.#session;
    this.#opening ??= this.#renew().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #renew(): Promise<McpSession> {
    if (!this.#session) this.#refuseTooEarly();
    const { name, config } = this.#server;
    const until = this.#around.clock.stopwatch() + config.timeoutSeconds * 1000;
    try {
      const session = this.#session ?? (await this.#connect(until));
      this.#isStale = false;
      const { tools, problems } = await readDefinitions(name, await session.list(until));
      if (!sameDefinitions(this.#definitions, tools)) {
        this.#definitions = tools;
        for (const problem of problems.slice(0, MAX_PROBLEMS)) this.#report(problem);
      }
      return session;
    } catch (thrown) {
      this.#isStale = true;
      if (!this.#isClosed) this.#around.onProblem(toFailure(thrown, 'tool_failed'));
      throw thrown;
    }
  }

  #refuseTooEarly(): void {
    const { name } = this.#server;
    if (this.#isClosed) throw new SkeinError('runtime_closed', `the MCP server ${name} is not connected any more`);
    const wait = this.#notBefore - this.#around.clock.stopwatch();
    if (wait <= 0) return;
    const message = `the MCP server ${name} has failed ${this.#losses} times; it is tried again in ${Math.ceil(wait / 1000)} s`;
    throw new SkeinError('tool_failed', message, { detail: { reason: 'not_connected', server: name } });
  }

  async #connect(until: number): Promise<McpSession> {
    try {
      // Loaded late: the SDK takes half a second, and most workers never need it.
      const { createMcpSession } = await import('./mcp-session.ts');
      if (this.#isClosed)
        throw new SkeinError('runtime_closed', `the MCP server ${this.#server.name} is not needed any more`);
      const session = createMcpSession(this.#server, {
        ...this.#around,
        closed: () => this.#closed(session),
        toolsChanged: () => {
          this.#isStale = true;
        },
      });
      this.#attempt = session;
      await session.open(until);
      if (this.#isClosed) session.kill();
      this.#session = session;
      return session;
    } catch (thrown) {
      this.#lost();
      throw thrown;
    } finally {
      this.#attempt = undefined;
    }
  }

  #closed(session: McpSession): void {
    // An attempt that fails is told of by `open`.
    if (session !== this.#session) return;
    this.#session = undefined;
    this.#lost();
  }

  #lost(): void {
    this.#losses += 1;
    const delay = this.#losses < 2 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (this.#losses - 2), MAX_DELAY_MS);
    this.#notBefore = this.#around.clock.stopwatch() + delay;
  }

  #report(problem: string): void {
    this.#around.onProblem({ code: 'invalid_item', message: `MCP server ${this.#server.name}: ${problem}` });
  }
}

const MAX_PROBLEMS = 8;

function sameDefinitions(left: Definitions | undefined, right: Definitions): boolean {
  const text = (definitions: Definitions): string =>
    JSON.stringify(
      [...definitions.values()].map(({ id, name, description, inputSchema }) => [id, name, description, inputSchema]),
    );
  return left !== undefined && text(left) === text(right);
}
