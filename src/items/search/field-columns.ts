import { SkeinError } from '../../core/errors.ts';
import { ITEM_KINDS, type ItemKind } from '../../core/item.ts';
import type { FieldWeights, IndexEntry, IndexedDocument } from './index-entry.ts';

/** One column of the full text table: a field of one kind, so that kinds can weigh fields of one name differently. */
export type FieldColumn = { readonly kind: ItemKind; readonly field: string; readonly weight: number };

/** Every item is found by its id and its body, whatever its extractor says; it may say how much they count. */
const STANDARD_WEIGHTS: Readonly<Record<string, number>> = { id: 10, text: 1 };

/** `bm25()` takes a weight for each column, and SQLite's functions take at most 1,000 arguments. */
const MAX_COLUMNS = 500;

/** Characters of a field that are searched: what a search takes for one item goes by them. */
const MAX_SEARCHED = 256 * 1024;

/**
 * The columns of the full text table for these weights. Their order does not depend on the order of the weights.
 *
 * @throws SkeinError `invalid_config` for a weight that is no number from 0 up, for no field at all and for more than 500
 */
export function layOutColumns(weights: FieldWeights): readonly FieldColumn[] {
  const columns = ITEM_KINDS.flatMap((kind) =>
    Object.entries({ ...STANDARD_WEIGHTS, ...weights[kind] })
      .map(([field, weight]) => ({ kind, field, weight: checked(weight, { kind, field }) }))
      .filter(({ weight }) => weight > 0),
  );
  if (columns.length === 0 || columns.length > MAX_COLUMNS) {
    throw new SkeinError('invalid_config', `${columns.length} fields have a search weight; 1 to ${MAX_COLUMNS} may`);
  }
  return columns.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

/** The text of an item for each column, at most the first 256 Ki characters of a field. */
export function columnTexts(
  columns: readonly FieldColumn[],
  { kind, id }: IndexEntry,
  document: IndexedDocument,
): string[] {
  const { name, title, description, category, tags, text, fields } = document;
  const parts = new Map(Object.entries({ id, name, title, description, category, tags: tags.join('\n'), text }));
  for (const [field, value] of Object.entries(fields)) parts.set(field, value);
  return columns.map((column) => (column.kind === kind ? (parts.get(column.field) ?? '').slice(0, MAX_SEARCHED) : ''));
}

function checked(weight: number, { kind, field }: { kind: ItemKind; field: string }): number {
  if (Number.isFinite(weight) && weight >= 0) return weight;
  throw new SkeinError('invalid_config', `the search weight of ${kind} field "${field}" must be a number from 0 up`);
}

function nameOf({ kind, field }: FieldColumn): string {
  return `${kind}:${field}`;
}
