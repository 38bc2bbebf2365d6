import type { ItemKind, SpaceName } from '../../core/item.ts';

/** An item file that belongs into the index; of two with one kind, id and space the first counts. */
export type IndexEntry = {
  readonly kind: ItemKind;
  readonly id: string;
  readonly space: SpaceName;
  /** Absolute. */
  readonly file: string;
  readonly extension: string;
};

/** What is searched and shown of an item. */
export type IndexedDocument = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly category: string;
  readonly tags: readonly string[];
  /** Texts by extractor field id; a standard part (`name`, `title`, …) need not be repeated here. */
  readonly fields: Readonly<Record<string, string>>;
  /** The searchable body. */
  readonly text: string;
};

/** How much a hit in a field counts, by kind and field id; a field without a weight, or with 0, is not searched. */
export type FieldWeights = Readonly<Record<ItemKind, Readonly<Record<string, number>>>>;
