import { hash } from 'node:crypto';
import {
  TIER_KEYS,
  type FileContext,
  type HistoryMessage,
  type HistoryStore,
  type ItemKey,
  type SymbolIndex,
  type TierAssignment,
  type TierItem,
  type TierKey,
  type TokenCounter,
} from '../../core/assembly.ts';
import type { AssemblyInput, TierContent } from './assemble-input.ts';
import { fileBlock, joinFiles } from './blocks.ts';
import { historyGroups } from './history-groups.ts';

/** Where the content of items comes from. */
export type TierSources = {
  readonly files: FileContext;
  readonly symbols: SymbolIndex;
  readonly history: HistoryStore;
};

/** What of a session goes into its prompt. */
export type Gathered = {
  readonly tieredContent: Readonly<Record<TierKey, TierContent<HistoryMessage>>>;
} & Required<Pick<AssemblyInput<HistoryMessage>, 'symbolMap' | 'symbolLegend' | 'activeFiles' | 'activeHistory'>>;

/** Options of {@link createGatherer}. */
export type GathererOptions = {
  readonly counter: TokenCounter;
  /**
   * Whether a block may stay in its tier beside, or after, a file's full text, as long as it is current: dropping it would
   * break the cache. Otherwise a file never appears twice (S1).
   */
  readonly keepsCurrent?: boolean;
};

/** Finds a session's items and gathers their content. */
export interface Gatherer {
  /** What a policy has to place: files that are selected, symbols, groups of history. */
  items(sources: TierSources): readonly TierItem[];
  /** The content of what was placed, without what is not there any longer (S1 "Tiered Assembly Data Flow"). */
  gather(assignment: TierAssignment, sources: TierSources): Gathered;
}

/**
 * Makes the gatherer of one session. It owns what was rendered, and no sources.
 *
 * Invariants:
 * 1. A text is rendered, hashed and counted once, until it changes.
 * 2. A tier is joined anew only when one of its items changed, came or went.
 * 3. Nothing is kept of items that are gone.
 */
export function createGatherer({ counter, keepsCurrent = false }: GathererOptions): Gatherer {
  let known = new Map<ItemKey, Rendered>();
  let placedFiles: readonly string[] = [];
  const joined = new Map<TierKey, Joined>();

  const collect = (sources: TierSources): Map<ItemKey, Rendered> => {
    const fresh = new Map<ItemKey, Rendered>();
    for (const [key, source] of contents(sources, { keepsCurrent, placedFiles })) {
      const before = known.get(key);
      const isSame = before !== undefined && isSameSource(before.source, source);
      fresh.set(key, isSame ? before : render(key, source, counter));
    }
    known = fresh;
    return fresh;
  };

  return {
    items: (sources) => [...collect(sources).values()].map(({ item }) => item),
    gather(assignment, sources) {
      const placement = place(assignment, collect(sources));
      const order = [...known.values()];
      placedFiles = TIER_KEYS.flatMap((tier) => placement[tier].flatMap((entry) => pathOf(entry, 'file')));
      const tiers = TIER_KEYS.map((tier) => [tier, joinTier(placement[tier], order, joined.get(tier))] as const);
      for (const [tier, content] of tiers) joined.set(tier, content);
      const contentOf = Object.fromEntries(tiers.map(([tier, { content }]) => [tier, content]));
      return {
        tieredContent: contentOf as Gathered['tieredContent'], // one for each key
        ...gatherTail(placement, order, new Set(sources.files.selected())),
        symbolLegend: sources.symbols.legend(),
      };
    },
  };
}

/** An item as it is shown. Files and symbols have a text, groups of history their messages. */
type Rendered = {
  readonly item: TierItem;
  readonly source: Source;
  readonly text: string;
  readonly messages: readonly HistoryMessage[];
};

type Source = { readonly text: string } | { readonly messages: readonly HistoryMessage[] };
type Placement = Readonly<Record<TierKey, readonly Rendered[]>>;
type Joined = { readonly entries: readonly Rendered[]; readonly content: TierContent<HistoryMessage> };

function* contents(
  { files, symbols, history }: TierSources,
  { keepsCurrent, placedFiles }: { readonly keepsCurrent: boolean; readonly placedFiles: readonly string[] },
): Generator<[ItemKey, Source]> {
  const selected = new Set(files.selected());
  for (const path of new Set([...selected, ...(keepsCurrent ? placedFiles : [])])) {
    const text = files.content(path);
    if (text) yield [`file:${path}`, { text }];
  }
  for (const path of symbols.paths()) {
    const text = keepsCurrent || !selected.has(path) ? symbols.block(path) : undefined;
    if (text) yield [`symbol:${path}`, { text }];
  }
  for (const messages of historyGroups(history.messages())) {
    const [first] = messages;
    if (first) yield [`history:${first.id}`, { messages }];
  }
}

/** A message with an id never changes, so a group is the same if its messages are. */
function isSameSource(before: Source, now: Source): boolean {
  if ('text' in before) return 'text' in now && before.text === now.text;
  return 'messages' in now && sameLast(before.messages, now.messages);
}

function sameLast(before: readonly HistoryMessage[], now: readonly HistoryMessage[]): boolean {
  return before.length === now.length && before.at(-1)?.id === now.at(-1)?.id;
}

function render(key: ItemKey, source: Source, { count }: TokenCounter): Rendered {
  const messages = 'messages' in source ? source.messages : [];
  const text = 'text' in source ? shown(key, source.text) : JSON.stringify(messages.map(asSent));
  const item = { key, hash: hash('sha256', text), tokens: count(text) };
  return { item, source, text: 'text' in source ? text : '', messages };
}

function shown(key: ItemKey, text: string): string {
  return key.startsWith('file:') ? fileBlock(key.slice('file:'.length), text) : text;
}

/** Which message it is and where it stands is not sent. */
function asSent(message: HistoryMessage): object {
  return { ...message, id: undefined, index: undefined };
}

/** The items that are there, each in the first place it was given. */
function place({ tiers }: TierAssignment, known: ReadonlyMap<ItemKey, Rendered>): Placement {
  const left = new Map(known);
  const take = (key: ItemKey): Rendered[] => {
    const entry = left.get(key);
    left.delete(key);
    return entry ? [entry] : [];
  };
  const placement = TIER_KEYS.map((tier) => [tier, tiers[tier].flatMap(take)]);
  return Object.fromEntries(placement) as Placement; // one for each key
}

/** Joins a tier (S1, step 2), unless it is what it was. Its history stands in the order of all items. */
function joinTier(entries: readonly Rendered[], order: readonly Rendered[], before: Joined | undefined): Joined {
  if (before && areSame(before.entries, entries)) return before;
  const own = new Set(entries);
  const textsOf = (kind: string): string[] =>
    entries.filter(({ item }) => item.key.startsWith(kind)).map(({ text }) => text);
  const content = {
    symbols: symbolList(textsOf('symbol:')),
    files: textsOf('file:')
      .map((text) => `${text}\n\n`)
      .join(''),
    history: order.filter((entry) => own.has(entry)).flatMap(({ messages }) => messages),
    tokens: entries.reduce((sum, { item }) => sum + item.tokens, 0),
  };
  return { entries, content };
}

function areSame(before: readonly Rendered[], now: readonly Rendered[]): boolean {
  return before.length === now.length && before.every((entry, at) => entry === now[at]);
}

function symbolList(blocks: readonly string[]): string {
  return blocks.map((block) => `${block}\n`).join('');
}

/** What stands in no tier (S1, step 3). A file whose text or symbols stand somewhere is not in the main map. */
function gatherTail(
  placement: Placement,
  order: readonly Rendered[],
  selected: ReadonlySet<string>,
): Pick<Gathered, 'symbolMap' | 'activeFiles' | 'activeHistory'> {
  const placed = new Set(TIER_KEYS.flatMap((tier) => placement[tier]));
  const rest = order.filter((entry) => !placed.has(entry));
  const withText = new Set([...selected, ...[...placed].flatMap((entry) => pathOf(entry, 'file'))]);
  const files = rest.filter((entry) => pathOf(entry, 'file').some((path) => selected.has(path)));
  const symbols = rest.filter((entry) => pathOf(entry, 'symbol').some((path) => !withText.has(path)));
  return {
    symbolMap: symbolList(symbols.map(({ text }) => text)),
    activeFiles: joinFiles(files.map(({ text }) => text)),
    activeHistory: rest.flatMap(({ messages }) => messages),
  };
}

function pathOf({ item }: Rendered, kind: 'file' | 'symbol'): string[] {
  return item.key.startsWith(`${kind}:`) ? [item.key.slice(kind.length + 1)] : [];
}
