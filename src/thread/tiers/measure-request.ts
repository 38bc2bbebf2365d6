import type { FileContext, TierItem } from '../../core/assembly.ts';
import type { Message } from '../../core/conversation.ts';
import type { TierSources } from '../../prompt/tiers/assemble-items.ts';
import { fileTree } from '../../prompt/tiers/blocks.ts';
import { estimateMessageTokens } from '../../providers/pricing.ts';
import type { InWorker } from '../conversation/conversation.ts';
import type { SplitConversation } from './assembly-history.ts';
import type { AssemblySession } from './assembly-session.ts';
import { PROJECT_SHARE } from './project-view.ts';

/** Tokens of what a request has beside the conversation, by what a reader calls it. */
export type Parts = Readonly<Record<string, number>>;

/** What a request is laid out from. */
export type Measured = {
  readonly files: FileContext;
  readonly sources: TierSources;
  readonly items: readonly TierItem[];
  /** Tokens in front of all items, as they are counted. */
  readonly headTokens: number;
  readonly counted: CountedTexts;
  readonly parts: Parts;
  /** Tokens of the whole. */
  readonly total: number;
};

/** Tokens of what is no item, as they are counted. */
export type CountedTexts = {
  readonly list: number;
  /** Pages and the review. */
  readonly around: number;
  readonly open: number;
  readonly prompt: number;
};

/** What does not depend on the project's files. */
export type Around = {
  readonly split: SplitConversation;
  readonly systemPrompt: string;
  /** Pages and the review. */
  readonly texts: readonly string[];
};

/** Takes the project as it is now. */
export function measureRequest({ thread, services }: InWorker, session: AssemblySession, around: Around): Measured {
  const { model, paletteTokens } = thread.plan;
  const { count, expect } = model.counter;
  const { history, open, prompt } = around.split;
  const files = session.view.files(session.files, model);
  const symbols = session.view.symbols(services.assembly.symbols.index(), model);
  const sources = { files, symbols, history: { messages: () => history } };
  const items = session.gatherer.items(sources);
  const headTokens = paletteTokens + count(around.systemPrompt) + count(symbols.legend());
  const sumOf = (kind: string): number =>
    items.reduce((sum, { key, tokens }) => (key.startsWith(kind) ? sum + tokens : sum), 0);
  const messageTokens = (message: Message): number => countMessage(message, count);
  const counted = {
    list: count(fileTree(files.tree(), files.isCut?.())),
    around: add(around.texts.map((text) => count(text))),
    open: add(open.map(messageTokens)),
    prompt: prompt ? messageTokens(prompt) : 0,
  };
  const parts = {
    'the system prompt and the tools': expect(headTokens),
    'the map of symbols': expect(sumOf('symbol:')),
    'the list of files': expect(counted.list),
    'the selected files': expect(sumOf('file:')),
    'pages and the review': expect(counted.around),
  };
  const conversation = expect(sumOf('history:') + counted.open + counted.prompt);
  return { files, sources, items, headTokens, counted, parts, total: sumUp(parts) + conversation };
}

/**
 * Tokens of what stands in every request beside the system prompt, the tools and what is said: the project's map and lists. Of
 * a project that no thread has read yet, what they may take.
 */
export function measureProject(worker: InWorker, session: AssemblySession): number {
  const { model, paletteTokens } = worker.thread.plan;
  const isRead = worker.services.assembly.symbols.index().files().length > 0;
  if (!isRead) return PROJECT_SHARE * model.contextWindow;
  const split = { history: [], open: [], prompt: undefined };
  const { total } = measureRequest(worker, session, { split, systemPrompt: '', texts: [] });
  return total - model.counter.expect(paletteTokens);
}

/** Tokens of a message with what its provider wants back with it, as an item of the history has them. */
export function countMessage(message: Message, count: (text: string) => number): number {
  const carry = message.role === 'assistant' ? message.carry : undefined;
  return estimateMessageTokens(message, count) + (carry ? count(JSON.stringify(carry.parts)) : 0);
}

/** Tokens of a message of the history, about as an item of it has them. */
export function countPastMessage(message: Message, count: (text: string) => number): number {
  const hasParts = message.role === 'user' && message.parts !== undefined;
  return hasParts ? estimateMessageTokens(message, count) : count(JSON.stringify(message));
}

/** What takes the room of a request, the largest part first: what is none of these parts is the conversation. */
export function sayParts(parts: Parts, total: number): string {
  return Object.entries({ ...parts, 'the conversation': total - sumUp(parts) })
    .filter(([, tokens]) => tokens > 0)
    .toSorted(([, one], [, other]) => other - one)
    .map(([what, tokens]) => `${what} ${tokens}`)
    .join(', ');
}

function sumUp(parts: Parts): number {
  return add(Object.values(parts));
}

function add(tokens: readonly number[]): number {
  return tokens.reduce((sum, more) => sum + more, 0);
}
