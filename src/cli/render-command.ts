import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { ContentPart } from '../core/content-part.ts';
import type { PromptyMessage } from '../core/prompty-message.ts';
import { SkeinError } from '../index.ts';
import { loadPrompty } from '../items/load-prompty.ts';
import { assemblePrompty } from '../prompt/prompty/create-prompty.ts';
import { resolveMedia } from '../prompt/prompty/to-conversation.ts';
import { readArguments, readPairs } from './arguments.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { CliIo } from './io.ts';
import { printable, printableJson, printableText } from './printable.ts';
import { renderInputs } from './render-inputs.ts';

/** `skein render FILE`: renders a `.prompty` file (S4), and with `--messages` shows what messages it makes. */
export async function renderCommand(args: readonly string[], io: CliIo): Promise<ExitCode> {
  const { values, positionals } = readArguments(args, {
    input: { type: 'string', multiple: true },
    messages: { type: 'boolean' },
    json: { type: 'boolean' },
  });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) {
    throw new SkeinError('invalid_argument', 'render takes one file (inputs are --input NAME=VALUE)');
  }
  const agent = loadPrompty(resolve(io.cwd, file), { env: io.env });
  const inputs = renderInputs(agent, readPairs('--input', values.input ?? []), io.cwd);
  const prompty = assemblePrompty({
    randomBytes,
    redactor: { text: (text) => text },
    onTracerProblem: () => undefined,
  });
  const rendered = prompty.renderPrompt(agent, inputs);
  if (!values.messages) {
    io.stdout.write(values.json ? `${printableJson({ text: rendered.text })}\n` : `${printableText(rendered.text)}\n`);
    return EXIT.completed;
  }
  const messages = resolveMedia(prompty.parse(agent, rendered), rendered.nonces);
  io.stdout.write(values.json ? `${printableJson({ messages })}\n` : messagesView(messages));
  return EXIT.completed;
}

function messagesView(messages: readonly PromptyMessage[]): string {
  return messages
    .map((message) => `=== ${headOf(message)} ===\n${message.content.map(partView).join('')}\n`)
    .join('\n');
}

function headOf({ role, metadata }: PromptyMessage): string {
  const attributes = Object.entries(metadata ?? {}).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return printable([role, ...attributes].join(' '));
}

/** Longest value that is shown. */
const SHOWN = 60;

function partView(part: ContentPart): string {
  if (part.kind === 'text') return printableText(part.value);
  const { kind, value, mediaType, name } = part;
  const shown = value.length <= SHOWN ? value : `${value.slice(0, SHOWN)}… (${value.length} characters)`;
  return printable(`[${[kind, name, mediaType, shown].filter(Boolean).join(' ')}]`);
}
