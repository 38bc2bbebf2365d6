import type { HistoryMessage } from '../../core/assembly.ts';
import { haveSameItems } from '../../core/same-items.ts';
import type { TierContent } from './assemble-input.ts';
import type { RenderedItem } from './assemble-items.ts';
import { isTree } from './policy-keys.ts';

/** A tier that was joined, and of what. */
export type Joined = { readonly entries: readonly RenderedItem[]; readonly content: TierContent<HistoryMessage> };

/** How a tier is joined. */
export type JoinOptions = {
  /** All items of the session. */
  readonly order: readonly RenderedItem[];
  /** Whether blocks that come after messages stay behind them. */
  readonly isLog: boolean;
  readonly before: Joined | undefined;
};

/** Joins a tier (S1, step 2), unless it is what it was. Its history stands in the order of all items. */
export function joinTier(entries: readonly RenderedItem[], { order, isLog, before }: JoinOptions): Joined {
  if (before && haveSameItems(before.entries, entries)) return before;
  const [first, ...more] = isLog ? runs(entries).map(join) : [join(sorted(entries, order))];
  const tokens = entries.reduce((sum, { item }) => sum + item.tokens, 0);
  return { entries, content: { ...first, ...(more.length > 0 && { more }), tokens } };
}

/** Symbol blocks as a list, one after another. */
export function symbolList(blocks: readonly string[]): string {
  return blocks.map((block) => `${block}\n`).join('');
}

/** Blocks in their own order, then messages in that of the history. */
function sorted(entries: readonly RenderedItem[], order: readonly RenderedItem[]): readonly RenderedItem[] {
  const own = new Set(entries);
  const said = order.filter((entry) => own.has(entry) && isHistory(entry));
  return [...entries.filter((entry) => !isHistory(entry)), ...said];
}

/** Blocks and the messages behind them, as often as blocks come again. */
function runs(entries: readonly RenderedItem[]): readonly (readonly RenderedItem[])[] {
  const found: RenderedItem[][] = [];
  entries.forEach((entry, at) => {
    const before = entries[at - 1];
    const comesAgain = before !== undefined && isHistory(before) && !isHistory(entry);
    const last = found.at(-1);
    if (last && !comesAgain) last.push(entry);
    else found.push([entry]);
  });
  return found;
}

function join(entries: readonly RenderedItem[]): TierContent<HistoryMessage> {
  const tree = entries.filter(({ item }) => isTree(item.key)).map(({ text }) => text);
  const textsOf = (kind: string): string[] =>
    entries.filter(({ item }) => item.key.startsWith(kind)).map(({ text }) => text);
  return {
    symbols: symbolList(textsOf('symbol:')),
    ...(tree.length > 0 && { fileTree: tree.join('\n\n') }),
    files: textsOf('file:')
      .map((text) => `${text}\n\n`)
      .join(''),
    history: entries.flatMap(({ messages }) => messages),
  };
}

function isHistory({ item }: RenderedItem): boolean {
  return item.key.startsWith('history:');
}
