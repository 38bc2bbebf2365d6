import { resolve } from 'node:path';
import { SkeinError } from '../index.ts';
import type { Script } from '../providers/scripted-schema.ts';
import type { LlmServerOptions } from '../providers/server/llm-server.ts';
import { readPairs, type Read } from './arguments.ts';
import { defineCommand, type Command } from './command.ts';
import type { CliIo } from './io.ts';
import { flag, repeated, valued } from './options.ts';
import { printable } from './printable.ts';
import { readPort } from './read-port.ts';
import { loadScript } from './script-file.ts';
import { untilInterrupted } from './until-interrupted.ts';

const OPTIONS = {
  script: repeated('NAME=FILE', 'a script that answers for the model NAME'),
  port: valued('N', 'port on 127.0.0.1 (default: any that is free)'),
  json: flag('print {"origin"} as one line of JSON when it listens'),
} as const;

/** `skein llm-server`: serves scripts as models over HTTP on this machine, until it is interrupted. */
export const llmServerCommand: Command = defineCommand({
  name: 'llm-server',
  takes: '[FILE]',
  summary: 'serve scripts as models over HTTP, as OpenAI, Anthropic and Gemini do',
  options: OPTIONS,
  examples: [['skein llm-server answers.yaml --port 8080', 'a script that answers for every model']],
  async run(given, io) {
    const { options, json } = await readOrder(given, io);
    // Loaded late: schemas of four wire formats.
    const { startLlmServer } = await import('../providers/server/llm-server.ts');
    await using server = await startLlmServer(options);
    const stopped = untilInterrupted(io);
    io.stdout.write(json ? `${JSON.stringify({ origin: server.origin })}\n` : `${describe(server.origin)}\n`);
    return await stopped;
  },
});

function describe(origin: string): string {
  return `Scripted model: ${origin} (base URL of Anthropic and Gemini; of OpenAI ${origin}/v1)`;
}

type Order = { readonly options: LlmServerOptions; readonly json: boolean };

async function readOrder({ values, positionals }: Read<typeof OPTIONS>, { cwd }: CliIo): Promise<Order> {
  const [file, ...more] = positionals;
  if (more.length > 0) {
    throw new SkeinError(
      'invalid_argument',
      `llm-server takes one file for all models; more: ${printable(more.join(', '))}`,
    );
  }
  const named = Object.entries(readPairs('--script', values.script ?? []));
  if (file === undefined && named.length === 0) {
    throw new SkeinError(
      'invalid_argument',
      'llm-server needs a script: FILE, or --script NAME=FILE for a model of that name',
    );
  }
  // What is read is checked when the server starts.
  const read = async (path: string): Promise<Script> => (await loadScript(resolve(cwd, path))) as Script;
  const scripts = Object.fromEntries(
    await Promise.all(named.map(async ([name, path]) => [name, await read(path)] as const)),
  );
  const script = file === undefined ? {} : { script: await read(file) };
  return { options: { ...script, scripts, port: readPort(values.port), keepRequests: 0 }, json: values.json ?? false };
}
