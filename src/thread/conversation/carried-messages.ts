import type { Message } from '../../core/conversation.ts';
import { estimateMessageTokens } from '../../providers/pricing.ts';
import { conversationText } from './conversation-text.ts';

/** What of a conversation goes on in the next thread. */
export type Carried = {
  /** User messages right after the first one: a summary, as a rule. */
  readonly lead: readonly Message[];
  /** The last exchanges, whole: each begins with an answer of the model. */
  readonly tail: readonly Message[];
  /** Number of messages between the two that are left out. */
  readonly leftOut: number;
  /** The last exchange in short, if it is left out as well. */
  readonly short: string | undefined;
};

/** How much there is room for. */
export type Room = {
  /** Tokens that may be carried. */
  readonly tokens: number;
  /** How many tokens one estimated token is, by what the provider counted. */
  readonly scale: number;
  /** Estimates a message; default: as it is sent in a flat prompt. */
  readonly estimate?: (message: Message) => number;
};

/**
 * Chooses what a successor is told beside its first message, which it makes itself: all if there is room, else the messages
 * at the beginning and as many of the last exchanges as fit. What is left out is a whole number of exchanges.
 */
export function carriedMessages(
  messages: readonly Message[],
  { tokens, scale, estimate = (message) => estimateMessageTokens(message) }: Room,
): Carried {
  const sizeOf = (some: readonly Message[]): number =>
    scale * some.reduce((sum, message) => sum + estimate(message), 0);
  const firstAnswer = messages.findIndex(({ role }) => role === 'assistant');
  const said = messages.slice(1, firstAnswer === -1 ? undefined : firstAnswer).filter(({ text }) => !isNote(text));
  const exchanges = firstAnswer === -1 ? [] : splitExchanges(messages.slice(firstAnswer));
  // What was said at the beginning must not take the place of what was said last.
  const lead = sizeOf(said) <= tokens / 2 ? said : [];
  let left = tokens - sizeOf(lead);
  let from = exchanges.length;
  for (; from > 0; from--) {
    left -= sizeOf(exchanges[from - 1] ?? []);
    if (left < 0) break;
  }
  const tail = exchanges.slice(from).flat();
  const leftOut = exchanges.slice(0, from).flat().length + said.length - lead.length;
  const last = exchanges.at(-1);
  const isLost = last !== undefined && tail.length === 0;
  const short = isLost ? conversationText(last, Math.max(0, tokens - sizeOf(lead)) / scale / 2) : undefined;
  return { lead, tail, leftOut, short };
}

/** An answer of the model with all that follows it up to the next one. */
function splitExchanges(messages: readonly Message[]): Message[][] {
  const exchanges: Message[][] = [];
  for (const message of messages) {
    if (message.role === 'assistant') exchanges.push([message]);
    else exchanges.at(-1)?.push(message);
  }
  return exchanges;
}

const NOTE = 'Part of this conversation is left out here';

/** Stands in the conversation in the place of what is left out. */
export function leftOutNote({ leftOut, short }: Carried, from: string): string {
  const note = `${NOTE}: ${leftOut} messages, which thread ${from} has. What follows is how it went on.`;
  return short === undefined ? note : `${note} The end of what is left out, in short:\n\n${short}`;
}

/** Notes of earlier successions say nothing that the next one does not. */
function isNote(text: string): boolean {
  return text.startsWith(NOTE);
}
