import type { Directive, ItemKind, KnowledgeItem, SpaceName, ToolItem } from '../core/item.ts';

/** What every item has, whatever its kind and file type. */
type ParsedParts = {
  readonly id: string;
  /** Falls back to the last part of the id. */
  readonly name: string;
  /** Falls back to the name. */
  readonly title: string;
  readonly description: string;
  /** Falls back to the id without its last part. */
  readonly category: string;
  readonly tags: readonly string[];
  readonly version: string;
  readonly space: SpaceName;
  /** Absolute, resolved. */
  readonly file: string;
  readonly extension: string;
  /** Values by field id of the extractor: those that are there or have a default. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** What the parser found, as it was written: what the fields' paths go into. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The body to be searched. */
  readonly text: string;
  /** What was ignored or does not fit, and why. */
  readonly warnings: readonly string[];
  /** False for a file among the tools that states no contract, such as a helper module: it is no item of its own. */
  readonly declared: boolean;
};

/** An item as its file says it. */
export type ParsedItem = ParsedParts &
  (
    | { readonly kind: 'directive'; readonly value: Directive }
    | { readonly kind: 'tool'; readonly value: ToolItem }
    | { readonly kind: 'knowledge'; readonly value: KnowledgeItem }
  );

/** The parsed items of one kind. */
export type ParsedOf<Kind extends ItemKind> = Extract<ParsedItem, { readonly kind: Kind }>;
