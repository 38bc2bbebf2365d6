import {
  TIER_KEYS,
  type HistoryMessage,
  type ItemKey,
  type TierAssignment,
  type TierItem,
  type TierKey,
  type TokenCounter,
} from '../../core/assembly.ts';
import type { AssemblyInput, TierContent } from './assemble-input.ts';
import { contents, isSameSource, renderItem, type RenderedItem, type TierSources } from './assemble-items.ts';
import { fileTree, joinFiles } from './blocks.ts';
import { joinTier, symbolList, type Joined } from './join-tier.ts';
import { isTree } from './policy-keys.ts';
import { createTreeEntries } from './tree-entries.ts';

/** What of a session goes into its prompt. */
export type Gathered = {
  readonly tieredContent: Readonly<Record<TierKey, TierContent<HistoryMessage>>>;
  /** Tokens of the items that are sent in no tier. */
  readonly activeTokens: number;
} & Required<
  Pick<AssemblyInput<HistoryMessage>, 'symbolMap' | 'symbolLegend' | 'fileTree' | 'activeFiles' | 'activeHistory'>
>;

/** Options of {@link createGatherer}. */
export type GathererOptions = {
  /** Where its `count` becomes another function, a session goes on with another model: everything is counted anew. */
  readonly counter: TokenCounter;
  /**
   * Whether a file may be seen more than once. `never` (the default): S1's rule. `current`: a block may stay in its tier
   * beside a file's full text, and a text after its file was dropped, as long as they are current. `older`: a policy that
   * writes a log may also name what an item was, as `KEY#HASH`, blocks and messages of a tier stand in its order, and the
   * list of all files is an item (`tree:files`): named again, it is sent as what has changed since.
   */
  readonly repeats?: 'never' | 'current' | 'older';
  /** What {@link Gatherer.placed} of the session was, where its policy goes on from what it remembers. */
  readonly placed?: readonly string[] | undefined;
};

/** Finds a session's items and gathers their content. */
export interface Gatherer {
  /** What a policy has to place: files that are selected, symbols, groups of history. */
  items(sources: TierSources): readonly TierItem[];
  /** The content of what was placed, without what is not there any longer (S1 "Tiered Assembly Data Flow"). */
  gather(assignment: TierAssignment, sources: TierSources): Gathered;
  /** Paths of the files whose text stands in a tier: dropped, they are offered still where current blocks may stay. */
  placed(): readonly string[];
}

/**
 * Makes the gatherer of one session. It owns what was rendered, and no sources.
 *
 * Invariants:
 * 1. A text is rendered, hashed and counted once, until it changes, or how texts are counted.
 * 2. A tier is joined anew only when one of its items changed, came or went.
 * 3. Nothing is kept of items that are gone, unless the last assignment named it. What items were is not known after a
 *    restart: a policy that names it is to be told that the cache is cold. Which files were placed is told (`placed`).
 */
export function createGatherer({ counter, repeats = 'never', placed = [] }: GathererOptions): Gatherer {
  let known = new Map<ItemKey, RenderedItem>();
  let placedFiles = placed;
  const older = new Map<string, RenderedItem>();
  const joined = new Map<TierKey, Joined>();
  let treeEntries = createTreeEntries(counter);
  let { count } = counter;
  const keepsCurrent = repeats !== 'never';
  const isLog = repeats === 'older';

  const countAnew = (): void => {
    ({ count } = counter);
    for (const entries of [known, older]) recount(entries, counter);
    treeEntries = createTreeEntries(counter);
  };

  const collect = (sources: TierSources): Map<ItemKey, RenderedItem> => {
    if (counter.count !== count) countAnew();
    const fresh = new Map<ItemKey, RenderedItem>();
    for (const [key, source] of contents(sources, { keepsCurrent, isLog, placedFiles })) {
      const before = known.get(key);
      const isSame = before !== undefined && isSameSource(before.source, source);
      fresh.set(key, isSame ? before : renderItem(key, source, counter));
    }
    for (const [key, entry] of isLog ? known : []) {
      if (fresh.get(key) !== entry) older.set(`${key}#${entry.item.hash}`, entry);
    }
    known = fresh;
    return fresh;
  };

  return {
    items: (sources) => [...collect(sources).values()].map(({ item }) => item),
    gather(assignment, sources) {
      collect(sources);
      const found = placeItems(assignment, known, older);
      const placement = isLog ? treeEntries(found) : found;
      const named = new Set<string>(TIER_KEYS.flatMap((tier) => assignment.tiers[tier]));
      for (const key of older.keys()) if (!named.has(key)) older.delete(key);
      placedFiles = placement.flat().flatMap((entry) => pathOf(entry, 'file'));
      const order = [...known.values()];
      const tiers = TIER_KEYS.map(
        (tier, at) => [tier, joinTier(placement[at] ?? [], { order, isLog, before: joined.get(tier) })] as const,
      );
      for (const [tier, content] of tiers) joined.set(tier, content);
      const contentOf = Object.fromEntries(tiers.map(([tier, { content }]) => [tier, content]));
      const selected = new Set(sources.files.selected());
      return {
        tieredContent: contentOf as Gathered['tieredContent'], // one for each key
        ...gatherTail({ placement, tail: assignment.tail, known, selected }),
        fileTree: placement.flat().some(({ item }) => isTree(item.key))
          ? ''
          : fileTree(sources.files.tree(), sources.files.isCut?.()),
        symbolLegend: sources.symbols.legend(),
      };
    },
    placed: () => placedFiles,
  };
}

function recount(entries: Map<string, RenderedItem>, counter: TokenCounter): void {
  for (const [key, { item, source }] of entries) entries.set(key, renderItem(item.key, source, counter));
}

/** What stands in each tier. */
type Placement = readonly (readonly RenderedItem[])[];

/** The items that are there, each in the first place it was given. What an item was may have been sent more than once. */
function placeItems(
  { tiers }: TierAssignment,
  known: ReadonlyMap<ItemKey, RenderedItem>,
  older: ReadonlyMap<string, RenderedItem>,
): Placement {
  const left = new Map<string, RenderedItem>(known);
  const take = (key: ItemKey): readonly RenderedItem[] => {
    const entry = left.get(key) ?? older.get(key);
    left.delete(key);
    return entry ? [entry] : [];
  };
  return TIER_KEYS.map((tier) => tiers[tier].flatMap(take));
}

type Tail = {
  readonly placement: Placement;
  readonly tail: readonly ItemKey[];
  readonly known: ReadonlyMap<ItemKey, RenderedItem>;
  readonly selected: ReadonlySet<string>;
};

/**
 * What stands in no tier (S1, step 3), blocks in the policy's order. A file whose text or symbols stand somewhere is not in
 * the main map.
 */
function gatherTail({
  placement,
  tail,
  known,
  selected,
}: Tail): Pick<Gathered, 'symbolMap' | 'activeFiles' | 'activeHistory' | 'activeTokens'> {
  const placed = new Set(placement.flat());
  const rest = [...known.values()].filter((entry) => !placed.has(entry));
  const ranked = tail.flatMap((key) => known.get(key) ?? []).filter((entry) => !placed.has(entry));
  const blocks = [...new Set([...ranked, ...rest])];
  const placedTexts = new Set([...placed].flatMap((entry) => pathOf(entry, 'file')));
  const isActive = (path: string): boolean => selected.has(path) && !placedTexts.has(path);
  const isMapped = (path: string): boolean => !selected.has(path) && !placedTexts.has(path);
  const symbols = blocks.filter((entry) => pathOf(entry, 'symbol').some(isMapped));
  const files = blocks.filter((entry) => pathOf(entry, 'file').some(isActive));
  const history = rest.filter(({ messages }) => messages.length > 0);
  return {
    symbolMap: symbolList(symbols.map(({ text }) => text)),
    activeFiles: joinFiles(files.map(({ text }) => text)),
    activeHistory: history.flatMap(({ messages }) => messages),
    activeTokens: [...symbols, ...files, ...history].reduce((sum, { item }) => sum + item.tokens, 0),
  };
}

function pathOf({ item }: RenderedItem, kind: 'file' | 'symbol'): string[] {
  return item.key.startsWith(`${kind}:`) ? [item.key.slice(kind.length + 1)] : [];
}
