import { resolve } from 'node:path';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { HttpServer, McpServerConfig, StdioServer } from '../config/mcp.ts';
import type { Clock } from '../core/clock.ts';
import { SkeinError } from '../core/errors.ts';
import { childEnv, type Env } from './child-env.ts';
import { doneWithin } from '../core/done-within.ts';
import { findProgram } from './interpreter.ts';
import { foreignText } from './mcp-foreign-text.ts';
import { createMcpFetch } from './mcp-http-fetch.ts';
import { McpStdioTransport } from './mcp-stdio-transport.ts';
import type { OrphanGuard } from './orphan-guard.ts';

/** A server as it is configured, and the name it has there. */
export type NamedServer = { readonly name: string; readonly config: McpServerConfig };

/** What a line needs from around it. */
export type LineSurroundings = {
  readonly projectPath: string;
  readonly env: Env;
  readonly clock: Clock;
  readonly guard: OrphanGuard;
};

/** How a server is reached, before anything is said. */
export type McpLine = {
  readonly transport: McpStdioTransport | StreamableHTTPClientTransport;
  /** What is known of why it broke; may be empty. */
  readonly fault: () => string;
  /** Says goodbye where that is more than closing. Never rejects. */
  readonly leave: () => Promise<void>;
  /** Ends it at once, and frees what it holds; may be called again. */
  readonly kill: () => void;
};

/**
 * Makes the line to a server; starts nothing.
 *
 * @throws SkeinError `tool_failed` for a program that is not there, `not_available` for a header's variable that is not set
 */
export function createMcpLine({ name, config }: NamedServer, around: LineSurroundings): McpLine {
  return config.kind === 'stdio' ? stdioLine(config, around) : httpLine(name, config, around);
}

const MAX_PRINTED = 2_000;
const LEAVE_MS = 1_000;
/**
 * For a call to be given up first: the connection of one that nobody waits for is freed after that. Not so if the server has
 * numbered its events: then the client comes back to them on a stream that may be silent for as long as the session is open.
 */
const GRACE_MS = 1_000;
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

function stdioLine({ command, args, cwd, env: names }: StdioServer, around: LineSurroundings): McpLine {
  const { env, projectPath } = around;
  const place = resolve(projectPath, cwd);
  const program = findProgram(command, env);
  const transport = new McpStdioTransport({ command: program, args, cwd: place, env: childEnv(env, names) }, around);
  return {
    transport,
    fault: () => {
      const printed = foreignText(transport.printed().slice(-MAX_PRINTED), MAX_PRINTED);
      return [transport.fault(), printed && `it last printed:\n${printed}`].filter(Boolean).join('; ');
    },
    leave: () => Promise.resolve(),
    kill: () => transport.kill(),
  };
}

function httpLine(name: string, config: HttpServer, { env, clock }: LineSurroundings): McpLine {
  const { url, headersEnv, timeoutSeconds } = config;
  let fault = '';
  const headers = Object.entries(headersEnv).map(([header, variable]): [string, string] => {
    const value = env[variable] ?? '';
    if (HEADER_VALUE.test(value)) return [header, value];
    // What is in it is a secret: `fetch` would put it into its error.
    const fault = value === '' ? 'is not set' : 'has a character that no header may have';
    throw new SkeinError(
      'not_available',
      `the MCP server ${name} needs the environment variable ${variable}, which ${fault}`,
    );
  });
  const kill = (): void => {
    void transport.close();
    void connections.close();
  };
  const tooLong = (reason: string): void => {
    fault = reason;
    kill();
  };
  const connections = createMcpFetch({ silenceMs: Math.ceil(timeoutSeconds * 1000) + GRACE_MS, tooLong });
  const { fetch } = connections;
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, fetch });
  const leave = async (): Promise<void> => {
    // Whether it heard us or not, we go.
    const left = transport.terminateSession().catch(() => undefined);
    await doneWithin(LEAVE_MS, left, clock);
  };
  return { transport, fault: () => fault, leave, kill };
}
