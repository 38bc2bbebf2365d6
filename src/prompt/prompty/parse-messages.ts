import type { PromptyMessage } from '../../core/prompty-message.ts';
import { NONCE_START } from './engine/nonce-start.ts';
import { ValueError } from './engine/value-error.ts';
import { findNonces } from './find-nonces.ts';
import type { NonceMap } from './prepare-inputs.ts';
import type { RenderedPrompt } from './rendered-prompt.ts';
import { readRoleLine, type RoleLine } from './role-line.ts';

/** Makes messages of rendered text (S4 §6, §11). */
export interface Parser {
  parse(rendered: RenderedPrompt): readonly PromptyMessage[];
}

/**
 * The parser that ships as `prompty`: a role line begins a message, text before the first one is the system's. A line into which
 * an input was written, were it an empty one, is text, whatever it says. Threads are expanded where their nonces stand, in several messages if
 * text is around them; nonces of images, files and audio stay in the text.
 */
export const promptyParser: Parser = {
  parse(rendered) {
    const prompt: Prompt = { messages: [], parts: 0 };
    for (const spoken of splitRoles(rendered)) expandThreads(spoken, rendered.nonces, prompt);
    return prompt.messages;
  },
};

/** Messages of one prompt, and parts of them: a template may write the same thread again and again. */
const MAX_MESSAGES = 100_000;

/** What there is of a prompt, and how many parts the messages of its threads have. */
type Prompt = { readonly messages: PromptyMessage[]; parts: number };

type Spoken = RoleLine & { readonly text: string };
const UNNAMED: RoleLine = { role: 'system', attributes: {} };

function splitRoles({ text, inputSpans }: RenderedPrompt): readonly Spoken[] {
  const messages: Spoken[] = [];
  const isInput = spanSearch(inputSpans);
  let speaker: RoleLine | undefined;
  let begin = 0;
  const flush = (end: number): void => {
    const said = trimBlankLines(text.slice(begin, end));
    if (speaker !== undefined || said !== '') messages.push({ ...(speaker ?? UNNAMED), text: said });
  };
  for (let start = 0; start <= text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const role = mayBeRole(text, start, end) ? readRoleLine(text.slice(start, end)) : undefined;
    // The line ends around it make it a line of its own, so they have to be the template's as well.
    if (role !== undefined && !isInput(start - 1, end + 1)) {
      flush(Math.max(begin, start - 1));
      speaker = role;
      begin = Math.min(end + 1, text.length);
    }
    start = end + 1;
  }
  flush(text.length);
  return messages;
}

/** A cheap look at the end of a line: most lines are none. */
function mayBeRole(text: string, start: number, end: number): boolean {
  let at = end - 1;
  while (at > start && (text[at] === ' ' || text[at] === '\t' || text[at] === '\r')) at -= 1;
  return text[at] === ':';
}

/** Tells of ascending ranges whether a span is in them in part, or stands in them empty. */
function spanSearch(spans: readonly number[]): (start: number, end: number) => boolean {
  let at = 0;
  return (start, end) => {
    while (at < spans.length && (spans[at + 1] ?? 0) <= start) at += 2;
    return (spans[at] ?? Number.POSITIVE_INFINITY) < end;
  };
}

function trimBlankLines(text: string): string {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first === -1) return '';
  return lines.slice(first, lines.findLastIndex((line) => line.trim() !== '') + 1).join('\n');
}

/** Adds a message, or what comes of the threads in it, to those of the prompt. */
function expandThreads({ role, attributes, text }: Spoken, nonces: NonceMap, prompt: Prompt): void {
  const { messages } = prompt;
  const message = { role, ...(Object.keys(attributes).length > 0 && { metadata: attributes }) };
  const found = nonces.size === 0 || !text.includes(NONCE_START) ? [] : findNonces(text, nonces);
  const threads = found.flatMap(({ at, nonce, value }) => (value.kind === 'thread' ? [{ at, nonce, value }] : []));
  if (threads.length === 0) return void messages.push({ ...message, content: textContent(text) });
  let from = 0;
  const say = (end: number): void => {
    const said = trimBlankLines(text.slice(from, end));
    if (said.trim() !== '') messages.push({ ...message, content: textContent(said) });
  };
  for (const { at, nonce, value } of threads) {
    say(at);
    if (messages.length + value.messages.length > MAX_MESSAGES) throw tooMany('messages');
    for (const each of value.messages) {
      prompt.parts += each.content.length;
      if (prompt.parts > MAX_MESSAGES) throw tooMany('parts of messages');
      messages.push(each);
    }
    from = at + nonce.length;
  }
  say(text.length);
}

function tooMany(what: string): ValueError {
  return new ValueError('template_output_exceeded', `The prompt has more than ${MAX_MESSAGES} ${what}`);
}

function textContent(value: string): PromptyMessage['content'] {
  return [{ kind: 'text', value }];
}
