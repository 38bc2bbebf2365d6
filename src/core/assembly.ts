import type { ContentPart } from './content-part.ts';
import type { Message } from './conversation.ts';
import type { TokenUsage } from './provider.ts';

/** The tiers of a prompt (S1 "Message Array Structure"), the most stable first. */
export const TIER_KEYS = ['L0', 'L1', 'L2', 'L3'] as const;
/** One of {@link TIER_KEYS}. */
export type TierKey = (typeof TIER_KEYS)[number];

/** How a prompt is assembled: its messages as they come, or in tiers. */
export const ASSEMBLIES = ['flat', 'tiered'] as const;
/** One of {@link ASSEMBLIES}. */
export type Assembly = (typeof ASSEMBLIES)[number];

/** Names of the policies of tiers; the first is the default. */
export const TIER_POLICIES = ['cache-aware', 'cache-aware-redundant', 'stability', 'append-only'] as const;
/** One of {@link TIER_POLICIES}. */
export type TierPolicyName = (typeof TIER_POLICIES)[number];

/** What an assistant says to a block of context in a prompt in tiers (S1 "Message Array Structure"). */
export const ACKNOWLEDGEMENTS: ReadonlySet<string> = new Set([
  'Ok.',
  "Ok, I've reviewed the URL content.",
  "Ok, I've reviewed the code changes.",
]);

/**
 * What a tier holds: a file's text, its symbol block, a message of the history, or, in a tier that is a log, the list of all
 * files (`tree:files`). Paths are relative, with `/`.
 */
export type ItemKey = `file:${string}` | `symbol:${string}` | `history:${string}` | `tree:${string}`;

/** An item a policy finds a place for. */
export interface TierItem {
  readonly key: ItemKey;
  /** Of exactly the bytes that are rendered. */
  readonly hash: string;
  readonly tokens: number;
}

/** Which item stands where. An item keeps its place in a tier for as long as it is in that tier. */
export interface TierAssignment {
  readonly tiers: Readonly<Record<TierKey, readonly ItemKey[]>>;
  /** What is sent after the last cache mark. */
  readonly tail: readonly ItemKey[];
}

/** What happened since the last assignment. */
export type TierEvent =
  | { readonly kind: 'edited'; readonly key: ItemKey }
  | { readonly kind: 'selected'; readonly path: string }
  | { readonly kind: 'dropped'; readonly path: string }
  | { readonly kind: 'turn_ended' }
  | {
      readonly kind: 'history_replaced';
      readonly removed: readonly ItemKey[];
      readonly added: readonly ItemKey[];
    }
  /** Nothing of the prompt is in the provider's cache any longer, e.g. after a pause: a new layout costs nothing. */
  | { readonly kind: 'cache_cold' };

/** What stands around the items of a prompt. */
export interface AroundItems {
  /** Tokens in front of all items: the declarations of tools, the system prompt, the legend of the symbols. */
  readonly headTokens: number;
}

/** Decides what stands in which tier; one for each session, since it remembers what it decided. */
export interface TierPolicy {
  /**
   * Places every item once; keys that are not among the items are forgotten. `around`: what is known of what stands around
   * them.
   */
  assign(items: readonly TierItem[], events: readonly TierEvent[], around?: AroundItems): TierAssignment;
  /** What the policy remembers, as JSON; its factory takes it back. */
  state(): unknown;
}

/** The files of a session. Paths are relative to its root, with `/`. */
export interface FileContext {
  /** Paths of the files whose full text the model is to see. */
  selected(): readonly string[];
  /** The text of a file; undefined if there is none that can be read. */
  content(path: string): string | undefined;
  /** Paths of all files, sorted, or of those there is room for. */
  tree(): readonly string[];
  /** Whether there are more files than these; absent: there are none. */
  isCut?(): boolean;
}

/** Symbols of source files in compact form (S1 "Symbol Map"). */
export interface SymbolIndex {
  /** Takes in what has changed on the disk: in these files, or anywhere. */
  refresh(paths?: readonly string[]): Promise<void>;
  /** The symbol block of a file; undefined if it has none. */
  block(path: string): string | undefined;
  /** Hash of that block's bytes. */
  hash(path: string): string | undefined;
  /** Paths of all files with a block, sorted. */
  paths(): readonly string[];
  /** How blocks are read; the same for the whole session. */
  legend(): string;
}

/** Which files use which. */
export interface RefGraph {
  references(path: string): readonly string[];
  referencedBy(path: string): readonly string[];
}

/** A message of the history. `id` is its own for ever, `index` its present place. */
export type HistoryMessage = Message & { readonly id: string; readonly index: number };

/** The history of a session. */
export interface HistoryStore {
  /** Ordered by index. */
  messages(): readonly HistoryMessage[];
}

/** Makes a history shorter. */
export interface Compactor {
  /** Which of these messages go, and the text that stands for them; undefined if they stay as they are. */
  compact(
    messages: readonly HistoryMessage[],
  ): Promise<{ readonly removed: readonly string[]; readonly summary: string } | undefined>;
}

/** Counts tokens of texts before they are sent. */
export interface TokenCounter {
  /** Tokens of a text. Additive; needs no `this`. */
  readonly count: (text: string) => number;
  /** Tokens of what is no text among the parts of a message; absent: nobody counts it. */
  readonly countMedia?: (parts: readonly ContentPart[]) => number;
}

/** Receives what the provider says a call has used, with real cache reads and writes (S1 "Cache Hit Reporting"). */
export interface UsageSink {
  record(usage: TokenUsage): void;
}
