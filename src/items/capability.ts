import { dottedId } from '../core/dotted-id.ts';
import type { ItemKind, PrimaryAction } from '../core/item.ts';
import { haveSameItems } from '../core/same-items.ts';
import { compileWildcards } from '../core/wildcard.ts';

/** Pattern lists that all have to allow a call: a directive's own, its bases' and its parents'. Cloneable. */
export type CapabilityChain = readonly (readonly string[])[];

/** What a thread may do, ready to be asked. */
export type Capabilities = {
  /**
   * Whether an action on an item is allowed. `fetch` is allowed by a capability on `load` or `search` and the reverse;
   * a caller that knows which of the two a fetch is asks for that one. Without a kind or an id (a search over
   * everything) only a pattern that covers all of them allows it.
   */
  allows(primary: PrimaryAction, kind: ItemKind | undefined, id: string | undefined): boolean;
  /** The data this was made from. */
  readonly patterns: CapabilityChain;
};

/** Each action with those whose capabilities allow it: `fetch` covers `load` and `search`, and the reverse. */
export const COVERED_BY: Readonly<Record<PrimaryAction, readonly PrimaryAction[]>> = {
  execute: ['execute'],
  sign: ['sign'],
  load: ['load', 'fetch'],
  search: ['search', 'fetch'],
  fetch: ['fetch', 'load', 'search'],
};

/** Compiles one list of capability patterns: `rye.<primary>.<item_type>.<id with dots>`, `*` matches any run. */
export function compileCapabilities(patterns: readonly string[]): Capabilities {
  return compileChain([patterns]);
}

/** Compiles a chain: a call is allowed when every list allows it. An empty chain allows nothing. */
export function compileChain(chain: CapabilityChain): Capabilities {
  const lists = chain.map(compileWildcards);
  return {
    patterns: chain,
    allows: (primary, kind, id) => {
      const names = COVERED_BY[primary].map((action) => capabilityName(action, kind, id));
      return lists.length > 0 && lists.every((grants) => names.some(grants));
    },
  };
}

/**
 * Narrows a parent's chain by what a child declares; undefined inherits. Nothing declared and no parent gives a chain
 * that allows nothing. Never wider than the parent.
 */
export function intersect(child: readonly string[] | undefined, parent: CapabilityChain | undefined): CapabilityChain {
  if (child === undefined) return parent ?? [];
  if (parent === undefined) return [child];
  const allowsNothing = parent.length === 0;
  const repeated = parent.some((list) => haveSameItems(list, child));
  return allowsNothing || repeated ? parent : [...parent, child];
}

/** Narrows a parent's chain by a whole chain: by each of its lists, as {@link intersect} does. */
export function narrow(child: CapabilityChain | undefined, parent: CapabilityChain | undefined): CapabilityChain {
  if (child === undefined) return parent ?? [];
  return child.reduce<CapabilityChain | undefined>((chain, list) => intersect(list, chain), parent) ?? [];
}

/** The patterns of a child that ask for more than its base grants: what it declares in vain, worth a warning. */
export function widening(child: readonly string[], base: readonly string[]): readonly string[] {
  // A pattern covers another one exactly if it matches its text, the other's `*` taken as a character.
  const covers = compileWildcards(base);
  return child.filter((pattern) => !spellings(pattern).some((texts) => texts.every(covers)));
}

/** The name a call is checked under. */
export function capabilityName(primary: PrimaryAction, kind: ItemKind | undefined, id: string | undefined): string {
  return `rye.${primary}.${kind ?? ''}.${dottedId(id ?? '')}`;
}

/** What grants a pattern, each in full: one on `load` or `search` also its `fetch`, one on `fetch` also both of the others. */
function spellings(pattern: string): readonly (readonly string[])[] {
  const as = (primary: PrimaryAction): string => pattern.replace(/^rye\.(?:load|search|fetch)\./, `rye.${primary}.`);
  return [[pattern], [as('fetch')], [as('load'), as('search')]];
}
