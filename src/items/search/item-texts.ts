import { columnTexts, type FieldColumn } from './field-columns.ts';
import type { IndexEntry, IndexedDocument } from './index-entry.ts';
import { columnName, type Connection } from './index-schema.ts';

/** The searched texts of items, by the item's number; without a text an item can't be found. */
export type ItemTexts = {
  /** There must be none yet. */
  insert(number: number, entry: IndexEntry, document: IndexedDocument): void;
  remove(number: number): void;
};

/** Prepares the statements. Numbers are cast: an integer given from here arrives as a real number. */
export function createItemTexts(db: Connection, columns: readonly FieldColumn[]): ItemTexts {
  const names = columns.map((_, index) => columnName(index));
  const insert = db.prepare<[number, ...string[]]>(
    `INSERT INTO texts (rowid, ${names.join(', ')}) VALUES (CAST(? AS INTEGER), ${names.map(() => '?').join(', ')})`,
  );
  const remove = db.prepare<[number]>('DELETE FROM texts WHERE rowid = CAST(? AS INTEGER)');
  return {
    insert: (number, entry, document) => insert.run(number, ...columnTexts(columns, entry, document)),
    remove: (number) => remove.run(number),
  };
}
