import type { FileContext, TierItem } from '../../core/assembly.ts';
import type { TierSources } from '../../prompt/tiers/assemble-items.ts';
import { fileTree } from '../../prompt/tiers/blocks.ts';
import { estimateMessageTokens } from '../../providers/pricing.ts';
import type { InWorker } from '../conversation/conversation.ts';
import type { SplitConversation } from './assembly-history.ts';
import type { AssemblySession } from './assembly-session.ts';

/** Tokens of what a request has beside the conversation, by what a reader calls it. */
export type Parts = Readonly<Record<string, number>>;

/** What a request is laid out from. */
export type Measured = {
  readonly files: FileContext;
  readonly sources: TierSources;
  readonly items: readonly TierItem[];
  /** Tokens in front of all items, as they are counted. */
  readonly headTokens: number;
  readonly parts: Parts;
  /** Tokens of the whole. */
  readonly total: number;
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
  const parts = {
    'the system prompt and the tools': expect(headTokens),
    'the map of symbols': expect(sumOf('symbol:')),
    'the list of files': expect(count(fileTree(files.tree()))),
    'the selected files': expect(sumOf('file:')),
    'pages and the review': expect(around.texts.reduce((sum, text) => sum + count(text), 0)),
  };
  const said = [...open, ...(prompt ? [prompt] : [])].map((message) => estimateMessageTokens(message, count));
  const conversation = expect(said.reduce((sum, tokens) => sum + tokens, sumOf('history:')));
  return { files, sources, items, headTokens, parts, total: sumUp(parts) + conversation };
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
  return Object.values(parts).reduce((sum, tokens) => sum + tokens, 0);
}
