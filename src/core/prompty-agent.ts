import type { MediaKind } from './content-part.ts';

/** Kinds whose values are no text and are not looked into by templates (S4, "Rich kinds"). */
export type RichKind = 'thread' | MediaKind;

/** What an input of a prompt holds. */
export type PromptyKind = 'string' | 'integer' | 'float' | 'number' | 'boolean' | 'array' | 'object' | 'any' | RichKind;

/** An input that a prompt declares. */
export type PromptyInput = {
  readonly name: string;
  readonly kind: PromptyKind;
  /** Takes the place of a value that is not given; null counts as none. */
  readonly default?: unknown;
  readonly required: boolean;
  /** For people and tools, never a value. */
  readonly example?: unknown;
  readonly description?: string;
};

/** Which renderer or parser a prompt wants (S4 §11), and what it says to it. */
export type PromptyComponent = { readonly kind: string; readonly [option: string]: unknown };

/** What a `.prompty` file says: settings in its front matter, the template below. */
export type PromptyAgent = {
  readonly name: string;
  readonly description: string;
  /** As written; `id` and `provider` are texts. */
  readonly model: {
    readonly id?: string | undefined;
    readonly provider?: string | undefined;
    readonly [setting: string]: unknown;
  };
  readonly inputs: readonly PromptyInput[];
  readonly template: { readonly format: PromptyComponent; readonly parser: PromptyComponent };
  /** The template. */
  readonly instructions: string;
  /**
   * The file that says it, the line (from 1) that the template begins in, and how many UTF-16 units before it are no part of it;
   * absent where an agent was built in code.
   */
  readonly origin?: { readonly file: string; readonly line: number; readonly indent?: number };
  /** Keys of the front matter that have no meaning here. */
  readonly metadata: Readonly<Record<string, unknown>>;
};

/** Kinds that are replaced by nonces while a prompt is rendered. */
export const RICH_KINDS: ReadonlySet<string> = new Set<RichKind>(['thread', 'image', 'file', 'audio']);

/** Whether a kind is one of {@link RICH_KINDS}. */
export function isRichKind(kind: PromptyKind): kind is RichKind {
  return RICH_KINDS.has(kind);
}
