import { randomBytes } from 'node:crypto';
import { SkeinError } from '../index.ts';
import type { Read } from './arguments.ts';
import { defineCommand, type Command } from './command.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { CliIo, Streams } from './io.ts';
import { openPlaces } from './item-places.ts';
import { COMMON, flag, HERE, repeated, valued } from './options.ts';
import { noPositionals } from './positionals.ts';
import { printable, printableJson } from './printable.ts';
import { readPort } from './read-port.ts';
import { readScripts, type Scripts } from './script-file.ts';
import { stopOnInterrupt } from './until-interrupted.ts';

const OPTIONS = {
  allow: repeated('CAPABILITY', 'allow more than to find and read items, to fill directives in, and dry runs'),
  http: flag('serve HTTP on 127.0.0.1 with a bearer token: that of SKEIN_MCP_TOKEN, or one that is printed'),
  port: valued('N', 'port of --http (default: any that is free)'),
  project: COMMON.project,
  script: HERE.script,
  json: flag('with --http, print {"url", "token"} as one line of JSON when it listens; else all is JSON'),
} as const;

/**
 * `skein mcp`: serves the primary actions to MCP clients, over stdin and stdout until stdin ends, or over HTTP. On stdout
 * there is nothing but the protocol.
 */
export const mcpCommand: Command = defineCommand({
  name: 'mcp',
  takes: '',
  summary: 'serve the primary actions to MCP clients, over stdin and stdout, or over HTTP',
  options: OPTIONS,
  examples: [
    ["skein mcp --allow 'rye.execute.tool.rye/file-system/*'", 'let a client work with files'],
    ['skein mcp --http --port 8123', 'for clients that are no parents of ours'],
  ],
  notes: 'Threads need rye.execute.tool.rye.agent.threads.*',
  async run(given, io) {
    const order = readOrder(given, io);
    const places = openPlaces(order.project, io);
    const say = (line: string): void => void io.stderr.write(`${printable(line)}\n`);
    // Loaded late: the SDK takes half a second.
    const { createMcpHost } = await import('./mcp-host.ts');
    await using host = createMcpHost({ places, allow: order.allow, scripts: order.scripts, env: io.env, say });
    const stopped = Promise.withResolvers<ExitCode>();
    // A client that leaves gives up what it asked for; whoever stops the server does not.
    const suspend = (code: ExitCode): void => void host.suspend().then(() => stopped.resolve(code), stopped.reject);
    const stopListening = io.onInterrupt(stopOnInterrupt(suspend, io));
    try {
      if (order.way.kind === 'http') {
        const { port, token } = order.way;
        const url = await host.listen({ port, token: token.text });
        if (order.json) io.stdout.write(`${printableJson({ url, ...(!token.isGiven && { token: token.text }) })}\n`);
        say(`MCP server: ${url}`);
        say(token.isGiven ? `It takes the token of ${TOKEN}` : `Authorization: Bearer ${token.text}`);
      } else {
        void host.talk(order.way.streams).then(() => stopped.resolve(EXIT.completed), stopped.reject);
      }
      return await stopped.promise;
    } finally {
      stopListening();
    }
  },
});

/** Name of the variable with the token of HTTP clients. */
const TOKEN = 'SKEIN_MCP_TOKEN';

type Token = { readonly text: string; readonly isGiven: boolean };

/** What `skein mcp` is to do. */
type Order = {
  readonly project: string | undefined;
  readonly allow: readonly string[];
  readonly scripts: Scripts;
  readonly json: boolean;
  readonly way:
    | { readonly kind: 'stdio'; readonly streams: Streams }
    | { readonly kind: 'http'; readonly port: number; readonly token: Token };
};

function readOrder({ values, positionals }: Read<typeof OPTIONS>, io: CliIo): Order {
  noPositionals('mcp', positionals);
  const { project, allow = [], http = false, port, json = false } = values;
  const scripts = readScripts(values.script ?? [], io.cwd);
  const order = { project, allow, scripts, json };
  if (http) return { ...order, way: { kind: 'http', port: readPort(port), token: readToken(io) } };
  if (port !== undefined) throw new SkeinError('invalid_argument', '--port is for --http');
  const streams = io.streams?.();
  if (!streams) throw new SkeinError('invalid_argument', 'There is no stdin to speak over; use --http');
  return { ...order, way: { kind: 'stdio', streams } };
}

function readToken({ env }: CliIo): Token {
  const given = env[TOKEN];
  if (given === undefined || given === '') return { text: randomBytes(32).toString('base64url'), isGiven: false };
  if (/^[\x21-\x7e]{16,1024}$/.test(given)) return { text: given, isGiven: true };
  throw new SkeinError('invalid_argument', `${TOKEN} needs at least 16 characters, without spaces`);
}
