import * as z from 'zod';
import { SkeinError } from '../core/errors.ts';
import type { Document } from './merge.ts';
import { parseSection, schemaVersion, section, type Section } from './section.ts';

const name = z.string().regex(/^[a-z][a-z0-9_]*$/, 'names are snake_case words');

const column = section({
  name,
  type: z.enum(['INTEGER', 'TEXT', 'REAL', 'BLOB']),
  primary_key: z.boolean().default(false),
  nullable: z.boolean().default(false),
  unique: z.boolean().default(false),
  default: z.union([z.string(), z.number()]).optional(),
});

const index = section({
  name,
  columns: z.array(name).min(1).readonly(),
  unique: z.boolean().default(false),
  /** Condition of a partial index, as SQL. */
  where: z.string().min(1).optional(),
});

const tableShape = {
  name,
  columns: z.array(column).min(1).readonly(),
  indexes: z.array(index).default([]).readonly(),
} as const;

/** The `table` section of a storage schema. */
export const tableSection: Section<typeof tableShape> = section(tableShape);

/** One table of the store (form of S2 §4.5). */
export type TableSchema = z.output<typeof tableSection>;

/** Parses a storage schema that has nothing but a table. */
export function parseTable(document: Document, file: string): TableSchema {
  return checkTable(parseSection(tableSchema, document, file).table, file);
}

const tableSchema = section({ schema_version: schemaVersion, table: tableSection });

/** Names must be different, and an index may name columns of its table only. @throws SkeinError `invalid_config` */
export function checkTable(table: TableSchema, file: string): TableSchema {
  const columns = table.columns.map((entry) => entry.name);
  refuseTwice(columns, file);
  refuseTwice(
    table.indexes.map((entry) => entry.name),
    file,
  );
  for (const { name, columns: indexed } of table.indexes) {
    const unknown = indexed.find((entry) => !columns.includes(entry));
    if (unknown === undefined) continue;
    const message = `index "${name}" names "${unknown}"; the columns are ${columns.join(', ')}`;
    throw new SkeinError('invalid_config', message, { where: { file, path: `table.indexes[${name}].columns` } });
  }
  return table;
}

function refuseTwice(names: readonly string[], file: string): void {
  const twice = names.find((entry, at) => names.indexOf(entry) !== at);
  if (twice === undefined) return;
  throw new SkeinError('invalid_config', `the name "${twice}" appears twice`, { where: { file, path: 'table' } });
}
