import type { FileType } from '../../config/extractors.ts';
import type { ReadItem } from '../spaces.ts';

/** What a parser works on. */
export type ParserInput = {
  readonly item: ReadItem;
  readonly fileType: FileType;
  /** The keys that the extractor's fields reach: they are looked for, and no surprise. */
  readonly known: ReadonlySet<string>;
};

/** What a parser makes of a file. */
export type Parsed<Value> = {
  readonly value: Value;
  /** Everything that was found, for the fields of the extractor. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The body to be searched. */
  readonly text: string;
  readonly warnings: readonly string[];
  /** Whether the file says that it is such an item. */
  readonly declared: boolean;
};

/**
 * Reads an item of one kind from the text of a file. Pure and linear; the text may be hostile.
 *
 * @throws SkeinError `invalid_item` with file, line and reason, or `item_too_large`
 */
export type Parser<Value> = (input: ParserInput) => Parsed<Value>;
