import type { HistoryMessage } from '../../core/assembly.ts';
import type { TierContent } from './assemble-input.ts';
import type { Rendered } from './assemble-items.ts';
import { isTree } from './policy-keys.ts';

/** A tier that was joined, and of what. */
export type Joined = { readonly entries: readonly Rendered[]; readonly content: TierContent<HistoryMessage> };

/** How a tier is joined. */
export type JoinOptions = {
  /** All items of the session. */
  readonly order: readonly Rendered[];
  /** Whether blocks that come after messages stay behind them. */
  readonly isLog: boolean;
  readonly before: Joined | undefined;
};

/** Joins a tier (S1, step 2), unless it is what it was. Its history stands in the order of all items. */
export function joinTier(entries: readonly Rendered[], { order, isLog, before }: JoinOptions): Joined {
  if (before && areSame(before.entries, entries)) return before;
  const [first, ...more] = isLog ? runs(entries).map(join) : [join(sorted(entries, order))];
  const tokens = entries.reduce((sum, { item }) => sum + item.tokens, 0);
  return { entries, content: { ...first, ...(more.length > 0 && { more }), tokens } };
}

/** Symbol blocks as a list, one after another. */
export function symbolList(blocks: readonly string[]): string {
  return blocks.map((block) => `${block}\n`).join('');
}

function areSame(before: readonly Rendered[], now: readonly Rendered[]): boolean {
  return before.length === now.length && before.every((entry, at) => entry === now[at]);
}

/** Blocks in their own order, then messages in that of the history. */
function sorted(entries: readonly Rendered[], order: readonly Rendered[]): readonly Rendered[] {
  const own = new Set(entries);
  const said = order.filter((entry) => own.has(entry) && isHistory(entry));
  return [...entries.filter((entry) => !isHistory(entry)), ...said];
}

/** Blocks and the messages behind them, as often as blocks come again. */
function runs(entries: readonly Rendered[]): readonly (readonly Rendered[])[] {
  const found: Rendered[][] = [];
  entries.forEach((entry, at) => {
    const before = entries[at - 1];
    const comesAgain = before !== undefined && isHistory(before) && !isHistory(entry);
    const last = found.at(-1);
    if (last && !comesAgain) last.push(entry);
    else found.push([entry]);
  });
  return found;
}

function join(entries: readonly Rendered[]): TierContent<HistoryMessage> {
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

function isHistory({ item }: Rendered): boolean {
  return item.key.startsWith('history:');
}
