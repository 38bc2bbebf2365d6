import { randomBytes } from 'node:crypto';
import { SkeinError } from '../index.ts';
import { readArguments } from './arguments.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { CliIo, Streams } from './io.ts';
import { openPlaces } from './item-places.ts';
import { noPositionals } from './positionals.ts';
import { printable } from './printable.ts';
import { readScripts, type Scripts } from './script-file.ts';

/**
 * `skein mcp`: serves the primary actions to MCP clients, over stdin and stdout until stdin ends, or over HTTP. On stdout
 * there is nothing but the protocol.
 */
export async function mcpCommand(args: readonly string[], io: CliIo): Promise<ExitCode> {
  const order = readOrder(args, io);
  const places = openPlaces(order.project, io);
  const say = (line: string): void => void io.stderr.write(`${printable(line)}\n`);
  // Loaded late: the SDK takes half a second.
  const { createMcpHost } = await import('./mcp-host.ts');
  await using host = createMcpHost({ places, allow: order.allow, scripts: order.scripts, env: io.env, say });
  const stopped = Promise.withResolvers<ExitCode>();
  const stopListening = io.onInterrupt(stopOnce(stopped.resolve, io));
  try {
    if (order.way.kind === 'http') {
      const { port, token } = order.way;
      say(`MCP server: ${await host.listen({ port, token: token.text })}`);
      say(token.isGiven ? `It takes the token of ${TOKEN}` : `Authorization: Bearer ${token.text}`);
    } else {
      void host.talk(order.way.streams).then(() => stopped.resolve(EXIT.completed), stopped.reject);
    }
    return await stopped.promise;
  } finally {
    stopListening();
  }
}

/** Name of the variable with the token of HTTP clients. */
const TOKEN = 'SKEIN_MCP_TOKEN';

type Token = { readonly text: string; readonly isGiven: boolean };

/** What `skein mcp` is to do. */
type Order = {
  readonly project: string | undefined;
  readonly allow: readonly string[];
  readonly scripts: Scripts;
  readonly way:
    | { readonly kind: 'stdio'; readonly streams: Streams }
    | { readonly kind: 'http'; readonly port: number; readonly token: Token };
};

function readOrder(args: readonly string[], io: CliIo): Order {
  const { values, positionals } = readArguments(args, {
    project: { type: 'string' },
    allow: { type: 'string', multiple: true },
    http: { type: 'boolean' },
    port: { type: 'string' },
    script: { type: 'string', multiple: true },
  });
  noPositionals('mcp', positionals);
  const { project, allow = [], http = false, port } = values;
  const scripts = readScripts(values.script ?? [], io.cwd);
  const order = { project, allow, scripts };
  if (http) return { ...order, way: { kind: 'http', port: readPort(port), token: readToken(io) } };
  if (port !== undefined) throw new SkeinError('invalid_argument', '--port is for --http');
  const streams = io.streams?.();
  if (!streams) throw new SkeinError('invalid_argument', 'There is no stdin to speak over; use --http');
  return { ...order, way: { kind: 'stdio', streams } };
}

const MAX_PORT = 65_535;

function readPort(text = '0'): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= MAX_PORT) return Number(text);
  throw new SkeinError('invalid_argument', `--port is ${JSON.stringify(text)}; a number up to ${MAX_PORT} is expected`);
}

function readToken({ env }: CliIo): Token {
  const given = env[TOKEN];
  if (given === undefined || given === '') return { text: randomBytes(32).toString('base64url'), isGiven: false };
  if (/^[\x21-\x7e]{16,1024}$/.test(given)) return { text: given, isGiven: true };
  throw new SkeinError('invalid_argument', `${TOKEN} needs at least 16 characters, without spaces`);
}

/** The first Ctrl-C closes everything in good order, a second one ends the process. */
function stopOnce(stop: (code: ExitCode) => void, io: CliIo): () => void {
  let seen = false;
  return () => {
    if (seen) return io.exit(EXIT.interrupted);
    seen = true;
    stop(EXIT.completed);
  };
}
