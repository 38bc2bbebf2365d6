import * as z from 'zod';
import { SkeinError } from '../core/errors.ts';
import type { Document } from './merge.ts';
import { parseSection, schemaVersion, section, variableName } from './section.ts';

/** Part of item ids and capabilities, where a dot would look like a slash. */
const serverName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/, 'up to 32 letters, digits, _ and -');

const headerName = z.string().regex(/^[A-Za-z0-9-]{1,64}$/, 'the name of a header');

const serverUrl = z
  .url({ protocol: /^https?$/ })
  .refine((url) => new URL(url).username + new URL(url).password === '', 'a secret has no place in a url');

/** A relative path would be one into the project, which is often somebody else's. */
const program = z.string().regex(/^(?:\/.+|[^/\\]+|[A-Za-z]:[\\/].+)$/, 'the name of a program, or an absolute path');

const server = section({
  /** A program and its arguments: it is started without a shell and spoken to over stdin and stdout. */
  command: program.optional(),
  args: z.array(z.string()).readonly().optional(),
  /** Names of environment variables it sees beyond the basic ones; values are never in a file. */
  env: z.array(variableName).readonly().optional(),
  /** Relative to the project's root, which is the default. */
  cwd: z.string().min(1).optional(),
  /** Instead of a command: a server that is reached by streamable HTTP. */
  url: serverUrl.optional(),
  /** Headers of every request, by the names of the variables that hold their values. */
  headers_env: z.record(headerName, variableName).readonly().optional(),
  /** For connecting, and for each call. */
  timeout_seconds: z.number().positive().max(86_400).default(60),
  enabled: z.boolean().default(true),
});

const mcpSchema = section({ schema_version: schemaVersion, servers: z.record(serverName, server).readonly() });

type Written = z.output<typeof server>;
type Common = Pick<Written, 'timeoutSeconds' | 'enabled'>;

/** An MCP server that is a program. */
export type StdioServer = Common & {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly string[];
  readonly cwd: string;
};

/** An MCP server that is reached by streamable HTTP. */
export type HttpServer = Common & {
  readonly kind: 'http';
  readonly url: string;
  readonly headersEnv: Readonly<Record<string, string>>;
};

/** An MCP server as it is configured. */
export type McpServerConfig = StdioServer | HttpServer;

/** `mcp.yaml`: MCP servers by name. */
export type McpConfig = { readonly servers: Readonly<Record<string, McpServerConfig>> };

/** Parses `mcp.yaml`; a server has a command or a url, and only what belongs to it. */
export function parseMcp(document: Document, file: string): McpConfig {
  const { servers } = parseSection(mcpSchema, document, file);
  const read = Object.entries(servers).map(([name, written]) => [name, readServer(name, written, file)] as const);
  return { servers: Object.fromEntries(read) };
}

function readServer(name: string, written: Written, file: string): McpServerConfig {
  const { command, args, env, cwd, url, headersEnv, timeoutSeconds, enabled } = written;
  const refuse = (key: string, message: string): never => {
    throw new SkeinError('invalid_config', message, { where: { file, path: `servers.${name}${key}` } });
  };
  if (command === undefined && url === undefined) return refuse('', 'a server has a command or a url');
  if (command !== undefined && url !== undefined) return refuse('', 'a server has a command or a url, not both');
  if (url === undefined) {
    if (headersEnv !== undefined) return refuse('.headers_env', 'a server with a command gets no headers; see env');
    const started = { command: command ?? '', args: args ?? [], env: env ?? [], cwd: cwd ?? '.' };
    return { kind: 'stdio', ...started, timeoutSeconds, enabled };
  }
  const misplaced = Object.entries({ args, env, cwd }).find(([, value]) => value !== undefined);
  if (misplaced) return refuse(`.${misplaced[0]}`, 'belongs to a command; this server has a url');
  return { kind: 'http', url, headersEnv: headersEnv ?? {}, timeoutSeconds, enabled };
}
