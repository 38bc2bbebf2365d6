import { resolve } from 'node:path';
import { SkeinError } from '../index.ts';
import type { Script } from '../providers/scripted-schema.ts';
import type { LlmServerOptions } from '../providers/server/llm-server.ts';
import { readArguments } from './arguments.ts';
import type { ExitCode } from './exit-code.ts';
import type { CliIo } from './io.ts';
import { printable } from './printable.ts';
import { readPort } from './read-port.ts';
import { readScript, readScripts } from './script-file.ts';
import { untilInterrupted } from './until-interrupted.ts';

/** `skein llm-server`: serves scripts as models over HTTP on this machine, until it is interrupted. */
export async function llmServerCommand(args: readonly string[], io: CliIo): Promise<ExitCode> {
  const { options, json } = readOrder(args, io);
  // Loaded late: schemas of four wire formats.
  const { startLlmServer } = await import('../providers/server/llm-server.ts');
  await using server = await startLlmServer(options);
  io.stdout.write(json ? `${JSON.stringify({ origin: server.origin })}\n` : `${describe(server.origin)}\n`);
  return await untilInterrupted(io);
}

function describe(origin: string): string {
  return `Scripted model: ${origin} (base URL of Anthropic and Gemini; of OpenAI ${origin}/v1)`;
}

type Order = { readonly options: LlmServerOptions; readonly json: boolean };

function readOrder(args: readonly string[], { cwd }: CliIo): Order {
  const { values, positionals } = readArguments(args, {
    script: { type: 'string', multiple: true },
    port: { type: 'string' },
    json: { type: 'boolean' },
  });
  const [file, ...more] = positionals;
  if (more.length > 0) {
    throw new SkeinError(
      'invalid_argument',
      `llm-server takes one file for all models; more: ${printable(more.join(', '))}`,
    );
  }
  const named = readScripts(values.script ?? [], cwd);
  if (file === undefined && Object.keys(named).length === 0) {
    throw new SkeinError(
      'invalid_argument',
      'llm-server needs a script: FILE, or --script NAME=FILE for a model of that name',
    );
  }
  // What is read is checked when the server starts.
  const scripts = named as Readonly<Record<string, Script>>;
  const script = file === undefined ? {} : { script: readScript(resolve(cwd, file)) as Script };
  return { options: { ...script, scripts, port: readPort(values.port), keepRequests: 0 }, json: values.json ?? false };
}
