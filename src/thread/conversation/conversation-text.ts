import type { Message } from '../../core/conversation.ts';
import { escapeMarkup } from '../../core/escape-markup.ts';
import { estimateTextTokens } from '../../providers/pricing.ts';

/**
 * A conversation as data in another model's prompt: one tag a message, with `&`, `<` and `>` in what was said escaped, so that
 * no text can end its tag or begin one. At most about `maxTokens` long: long texts lose their middle first, the longest the
 * most; if that is not enough, the oldest messages are left out. What is missing is named where it is missing.
 */
export function conversationText(messages: readonly Message[], maxTokens: number): string {
  for (let longest = LONGEST; longest >= SHORTEST; longest /= 2) {
    const text = wrap(messages.map((message) => messageText(message, longest)));
    if (estimateTextTokens(text) <= maxTokens) return text;
  }
  const texts = messages.map((message) => messageText(message, SHORTEST));
  const kept = newestWithin(texts, maxTokens - FRAME_TOKENS);
  return wrap([`[${texts.length - kept.length} older messages are left out]`, ...kept]);
}

/** A text that stands beside a {@link conversationText}: its `<` are escaped where a frame of such, or a message, would begin. */
export function escapeFrames(text: string): string {
  return text.replaceAll(/<(?=[\s/]*(?:conversation|message\s+role)\b)/gi, '&lt;');
}

/** Characters that a text keeps. */
const LONGEST = 1_048_576;
const SHORTEST = 512;
/** The tag around all, and the note on what is left out. */
const FRAME_TOKENS = 40;

function wrap(texts: readonly string[]): string {
  return `<conversation>\n${texts.join('\n')}\n</conversation>`;
}

function newestWithin(texts: readonly string[], maxTokens: number): readonly string[] {
  let left = maxTokens;
  let from = texts.length;
  for (; from > 0; from--) {
    left -= estimateTextTokens(texts[from - 1] ?? '') + 1;
    if (left < 0) break;
  }
  return texts.slice(from);
}

function messageText(message: Message, longest: number): string {
  const said = escapeMarkup(shorten(message.text, longest));
  if (message.role === 'user') return `<message role="user">\n${said}\n</message>`;
  if (message.role === 'tool') {
    return `<message role="tool" call="${escapeMarkup(message.callId)}"${message.isError ? ' error="true"' : ''}>\n${said}\n</message>`;
  }
  const calls = message.toolCalls.map(({ id, name, input }) => {
    const given = escapeMarkup(shorten(JSON.stringify(input), longest));
    return `<call id="${escapeMarkup(id)}" tool="${escapeMarkup(name)}">${given}</call>`;
  });
  return `<message role="assistant">\n${[said, ...calls].filter((part) => part !== '').join('\n')}\n</message>`;
}

function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const half = longest / 2;
  const [head, tail] = [text.slice(0, half).toWellFormed(), text.slice(-half).toWellFormed()];
  return `${head}\n[${text.length - longest} characters are left out]\n${tail}`;
}
