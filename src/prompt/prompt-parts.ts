import type { SpaceName } from '../core/item.ts';

/** A text of a prompt, and where it came from. */
export type PromptPart = {
  /** As events name it: the id of a hook, or of a knowledge item. */
  readonly source: string;
  /** The knowledge item whose text it is, if it is one's. */
  readonly item: string | undefined;
  /** The space that the item was found in. */
  readonly space: SpaceName | undefined;
  /** The directive that declares it; undefined for a hook. */
  readonly declaredBy: string | undefined;
  readonly text: string;
};

/** Texts in order: of the system message, and around the directive in the first user message. */
export type PlacedParts = {
  readonly system: readonly PromptPart[];
  readonly before: readonly PromptPart[];
  readonly after: readonly PromptPart[];
};

/** No texts at all. */
export const NO_PARTS: PlacedParts = { system: [], before: [], after: [] };

/**
 * Puts what hooks give and what `<context>` declares (root first) into the order of S0, S3 and the contracts: hooks come
 * first in the system message and before the directive, and last after it. An item is there once, where it comes first,
 * whoever brings it and in a tag or not (S0: "first occurrence wins").
 */
export function arrangeParts(hooks: PlacedParts, context: PlacedParts): PlacedParts {
  const seen = new Set<string>();
  const isFirst = ({ item, space }: PromptPart): boolean => {
    if (item === undefined) return true;
    const before = seen.size;
    // The same id in another space, which a hook may name, is another text.
    return seen.add(`${space} ${item}`).size > before;
  };
  return {
    system: [...hooks.system, ...context.system].filter(isFirst),
    before: [...hooks.before, ...context.before].filter(isFirst),
    after: [...context.after, ...hooks.after].filter(isFirst),
  };
}

/** The texts of the system message. */
export function systemTexts({ system }: PlacedParts): readonly string[] {
  return system.map(({ text }) => text);
}

/** The texts of the first user message, the rendered directive among them. */
export function messageTexts({ before, after }: PlacedParts, prompt: string): readonly string[] {
  return [...before.map(({ text }) => text), prompt, ...after.map(({ text }) => text)];
}

/** Names of the sources of some texts, in order. */
export function sourcesOf(parts: readonly PromptPart[]): readonly string[] {
  return parts.map(({ source }) => source);
}
