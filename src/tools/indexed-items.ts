import { hash } from 'node:crypto';
import type { Extractors } from '../config/extractors.ts';
import { SkeinError } from '../core/errors.ts';
import { asText } from '../core/path.ts';
import { ITEM_KINDS, type ItemKind } from '../core/item.ts';
import type { ParsedItem } from '../items/parsed-item.ts';
import { withoutMarks } from '../items/signature/signature-mark.ts';
import type { FieldWeights, IndexedDocument, IndexEntry } from '../items/search/index-entry.ts';
import type { ItemSource } from '../items/search/refresh.ts';
import { ITEM_FOLDERS, type SpaceLeftOut, type Spaces } from '../items/spaces.ts';
import type { ActionItems } from './primary-items.ts';

/** What the index of the spaces is made from. */
export type IndexedItems = {
  readonly list: ItemSource['list'];
  readonly read: (entry: IndexEntry) => IndexedDocument;
  readonly weights: FieldWeights;
};

/** The items of the spaces as the search index takes them: only what could also be loaded is found. */
export function indexedItems(
  spaces: Pick<Spaces, 'entries'>,
  items: Pick<ActionItems, 'open'>,
  extractors: Extractors,
): IndexedItems {
  return {
    *list(note) {
      for (const kind of ITEM_KINDS) {
        const bounds = new Set<string>();
        const onLeftOut = ({ space, reason, isBound }: SpaceLeftOut): void => {
          if (isBound)
            bounds.add(`the ${space} space has more under ${ITEM_FOLDERS[kind]} than is searched: ${reason}`);
        };
        for (const entry of spaces.entries(kind, onLeftOut)) yield { kind, ...entry };
        for (const bound of bounds) note(bound);
      }
    },
    read: ({ kind, id, space }) => toDocument(items.open(kind, id, space).parsed, extractors),
    weights: {
      directive: weightsOf(extractors, 'directive'),
      tool: weightsOf(extractors, 'tool'),
      knowledge: weightsOf(extractors, 'knowledge'),
    },
  };
}

/** Why a file among the tools that is none is not in the index; nothing to be remarked on. */
export const NO_ITEM = 'no_item';

function toDocument(parsed: ParsedItem, extractors: Extractors): IndexedDocument {
  if (!parsed.declared) {
    const message = `${parsed.id}${parsed.extension} says nothing that makes it a tool`;
    throw new SkeinError('invalid_item', message, { detail: { reason: NO_ITEM } });
  }
  const { name, title, description, category, tags, text, fields } = parsed;
  const searched = Object.keys(weightsOf(extractors, parsed.kind));
  const texts = searched.map((field) => [field, textOf(fields[field])] as const);
  // It says nothing about the item: every signed one would be found by its words.
  const said = withoutMarks(text);
  return { name, title, description, category, tags, text: said, fields: Object.fromEntries(texts) };
}

function weightsOf(extractors: Extractors, kind: ItemKind): Readonly<Record<string, number>> {
  return Object.fromEntries(
    extractors[kind].fields.flatMap(({ id, weight = 0 }) => (weight > 0 ? [[id, weight]] : [])),
  );
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? value.map(asText).join('\n') : asText(value);
}

/** Changes with everything but the files that decides what is in an index. */
export function indexRevision(...parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts)).slice(0, 32);
}
