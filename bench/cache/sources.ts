import type { HistoryMessage, TokenCounter } from '../../src/core/assembly.ts';
import type { TierSources } from '../../src/prompt/tiers/assemble-items.ts';
import { TOKENS } from './constants.ts';
import type { Said, Situation } from './replay.ts';

/** A text that says which bytes it stands for, and how many tokens they are. */
export function sized(name: string, tokens: number): string {
  return `⟦${name} ${tokens}⟧`;
}

const SIZE = /⟦[^⟧]* (\d+)⟧/g;

/** Counts what texts stand for; a text that stands for nothing is an acknowledgement. Headers and fences count nothing. */
export const SIZES: TokenCounter = {
  count: (text) => {
    let tokens: number | undefined;
    for (const [, size] of text.matchAll(SIZE)) tokens = (tokens ?? 0) + Number(size);
    return tokens ?? TOKENS.acknowledgement;
  },
};

/** What a prompt is made from in a situation. */
export function sourcesOf({ files, tree, selected, history }: Situation): TierSources {
  return {
    files: {
      selected: () => selected,
      content: (path) => {
        const version = files.get(path);
        return version && sized(version.hash, version.tokens);
      },
      tree: () => tree,
    },
    symbols: {
      refresh: () => Promise.resolve(),
      block: (path) => {
        const { symbolHash = '', symbolTokens = 0 } = files.get(path) ?? {};
        return symbolHash === '' ? undefined : `${path} ${sized(symbolHash, symbolTokens)}`;
      },
      hash: (path) => files.get(path)?.symbolHash,
      paths: () => [...files.keys()],
      // The system prompt's tokens are those of the legend, too.
      legend: () => '',
    },
    history: { messages: () => history.map(messageOf) },
  };
}

function messageOf(said: Said, index: number): HistoryMessage {
  const message = { id: said.id, index, text: textOf(said) };
  return said.role === 'user' ? { ...message, role: 'user' } : { ...message, role: 'assistant', toolCalls: [] };
}

/** The text of a message. */
export function textOf({ id, tokens }: Said): string {
  return sized(`said ${id}`, tokens);
}
