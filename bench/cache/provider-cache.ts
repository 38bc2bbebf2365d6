import { CACHE } from './constants.ts';

/** A content block as the provider sees it: the same id means the same bytes. */
export type Block = { readonly id: string; readonly tokens: number };
/** A request: its blocks, and the places of those that carry a mark, in order. */
export type Request = { readonly blocks: readonly Block[]; readonly marks: readonly number[] };
/** Where the tokens of a request came from. */
export type Tokens = { readonly read: number; readonly written: number; readonly uncached: number };

/**
 * A provider's prefix cache. A mark keeps the prefix that ends with its block; a later request reads the longest kept prefix
 * that ends at one of its marks or at one of the blocks before it. Turns are near: nothing expires.
 */
export class ProviderCache {
  readonly #kept = new Set<number>();
  readonly #prefixes = new Map<string, number>();
  readonly #lookback: number;

  constructor(lookback: number = CACHE.lookback) {
    this.#lookback = lookback;
  }

  send({ blocks, marks }: Request): Tokens {
    if (marks.length > CACHE.marks) throw new Error(`${marks.length} marks, ${CACHE.marks} are allowed`);
    const prefixes = this.#prefixesOf(blocks);
    const total = blocks.reduce((sum, { tokens }) => sum + tokens, 0);
    const read = Math.max(0, ...marks.map((mark) => this.#readAt(prefixes, mark)));
    const kept = marks.map((mark) => prefixes[mark]).filter((prefix) => prefix && prefix.tokens >= CACHE.minimum);
    for (const prefix of kept) if (prefix) this.#kept.add(prefix.id);
    const end = Math.max(read, kept.at(-1)?.tokens ?? 0);
    return { read, written: end - read, uncached: total - end };
  }

  #readAt(prefixes: readonly Prefix[], mark: number): number {
    for (let at = mark; at >= 0 && at >= mark - this.#lookback; at--) {
      const prefix = prefixes[at];
      if (prefix && this.#kept.has(prefix.id)) return prefix.tokens;
    }
    return 0;
  }

  /** Every prefix has a number of its own, the same whenever it comes again. */
  #prefixesOf(blocks: readonly Block[]): Prefix[] {
    let before: Prefix = { id: 0, tokens: 0 };
    return blocks.map((block) => {
      const name = `${before.id} ${block.id}`;
      const id = this.#prefixes.get(name) ?? this.#prefixes.size + 1;
      this.#prefixes.set(name, id);
      before = { id, tokens: before.tokens + block.tokens };
      return before;
    });
  }
}

type Prefix = { readonly id: number; readonly tokens: number };

/** What a request costs, in tokens that are neither read nor written. */
export function costOf({ read, written, uncached }: Tokens): number {
  return CACHE.read * read + CACHE.write * written + CACHE.uncached * uncached;
}
