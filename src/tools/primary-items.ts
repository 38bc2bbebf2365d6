import type { Directive, ItemKind, SignatureState, SpaceName } from '../core/item.ts';
import type { ParsedItem } from '../items/parsed-item.ts';

/** An item and the file it was read from, in one reading: parsed, and let through by the trust policy of its space. */
export type OpenedItem = {
  readonly parsed: ParsedItem;
  readonly signature: SignatureState;
  /** The whole file, byte order mark included: encoded as UTF-8 it gives the same bytes. */
  readonly wholeText: string;
};

/** What the primary actions need of the items of the spaces. */
export interface ActionItems {
  /** A directive to be carried out. @throws SkeinError for whatever keeps it from being used */
  directive(id: string, source: SpaceName | undefined): Directive;
  /** What the trust policy says about a directive that may be carried out all the same. @throws SkeinError as `directive` */
  remarks(directive: string, source: SpaceName | undefined): readonly string[];
  /** An item as it is on disk now. @throws SkeinError as `directive` */
  open(kind: ItemKind, id: string, source: SpaceName | undefined): OpenedItem;
}
