import type { PromptyMessage } from '../../core/prompty-message.ts';
import { findNonces } from './find-nonces.ts';
import { NONCE_START, type NonceMap } from './prepare-inputs.ts';
import type { RenderedPrompt } from './rendered-prompt.ts';
import { readRoleLine, type RoleLine } from './role-line.ts';

/** Makes messages of rendered text (S4 §6, §11). */
export interface Parser {
  parse(rendered: RenderedPrompt): readonly PromptyMessage[];
}

/**
 * The parser that ships as `prompty`: a role line begins a message, text before the first one is the system's. A line with a
 * character out of an input is text, whatever it says. Threads are expanded where their nonces stand, in several messages if
 * text is around them; nonces of images, files and audio stay in the text.
 */
export const promptyParser: Parser = {
  parse: (rendered) => splitRoles(rendered).flatMap((message) => expandThreads(message, rendered.nonces)),
};

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

/** Tells of ascending ranges whether one of their characters is in a span. */
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

function expandThreads({ role, attributes, text }: Spoken, nonces: NonceMap): readonly PromptyMessage[] {
  const message = { role, ...(Object.keys(attributes).length > 0 && { metadata: attributes }) };
  if (nonces.size === 0 || !text.includes(NONCE_START)) return [{ ...message, content: textContent(text) }];
  const messages: PromptyMessage[] = [];
  let from = 0;
  const say = (end: number): void => {
    const said = trimBlankLines(text.slice(from, end));
    if (said.trim() !== '') messages.push({ ...message, content: textContent(said) });
  };
  for (const { at, nonce, value } of findNonces(text, nonces)) {
    if (value.kind !== 'thread') continue;
    say(at);
    messages.push(...value.messages);
    from = at + nonce.length;
  }
  if (from === 0) return [{ ...message, content: textContent(text) }];
  say(text.length);
  return messages;
}

function textContent(value: string): PromptyMessage['content'] {
  return [{ kind: 'text', value }];
}
