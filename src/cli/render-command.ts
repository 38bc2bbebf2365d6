import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { ContentPart } from '../core/content-part.ts';
import { cutText } from '../core/cut-text.ts';
import type { PromptyAgent } from '../core/prompty-agent.ts';
import type { PromptyMessage } from '../core/prompty-message.ts';
import { SkeinError } from '../index.ts';
import { loadPrompty } from '../items/load-prompty.ts';
import { assemblePrompty } from '../prompt/prompty/create-prompty.ts';
import { resolveMedia } from '../prompt/prompty/to-conversation.ts';
import type { Prompty } from '../prompt/prompty/prompty.ts';
import type { PromptyInputs } from '../prompt/prompty/validate-inputs.ts';
import { readPairs } from './arguments.ts';
import { defineCommand, type Command } from './command.ts';
import { EXIT } from './exit-code.ts';
import { COMMON, flag, repeated } from './options.ts';
import { printable, printableJson, printableText } from './printable.ts';
import { renderInputs } from './render-inputs.ts';

/** `skein render FILE`: renders a `.prompty` file (S4), and with `--messages` shows what messages it makes. */
export const renderCommand: Command = defineCommand({
  name: 'render',
  takes: 'FILE',
  summary: 'a .prompty file: its text, or the messages that it makes',
  options: {
    input: repeated('NAME=VALUE', 'an input; lists, maps and threads are JSON, media a URL, base64 or @FILE'),
    messages: flag('the messages that role lines and threads make of the text'),
    json: COMMON.json,
  },
  examples: [['skein render ask.prompty --input who=Ada --messages', 'what a model would be sent']],
  run({ values, positionals }, io) {
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) {
      throw new SkeinError('invalid_argument', 'render takes one file (inputs are --input NAME=VALUE)');
    }
    const agent = loadPrompty(resolve(io.cwd, file), { env: io.env });
    const inputs = renderInputs(agent, readPairs('--input', values.input ?? []), io.cwd);
    io.stdout.write(values.messages ? messagesOf(agent, inputs, values) : textOf(agent, inputs, values));
    return EXIT.completed;
  },
});

type Shown = { readonly json?: boolean | undefined };

function textOf(agent: PromptyAgent, inputs: PromptyInputs, { json }: Shown): string {
  const { text } = promptyHere().renderPrompt(agent, inputs);
  return json ? `${printableJson({ text })}\n` : `${printableText(text)}\n`;
}

function messagesOf(agent: PromptyAgent, inputs: PromptyInputs, { json }: Shown): string {
  const prompty = promptyHere();
  const rendered = prompty.renderPrompt(agent, inputs);
  const messages = resolveMedia(prompty.parse(agent, rendered), rendered.nonces);
  return json ? `${printableJson({ messages })}\n` : messagesView(messages);
}

function promptyHere(): Prompty {
  return assemblePrompty({ randomBytes, redactor: { text: (text) => text }, onTracerProblem: () => undefined });
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
  const shown = value.length <= SHOWN ? value : `${cutText(value, SHOWN)} (${value.length} characters)`;
  return printable(`[${[kind, name, mediaType, shown].filter(Boolean).join(' ')}]`);
}
