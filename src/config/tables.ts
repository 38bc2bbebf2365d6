import * as z from 'zod';
import { SkeinError } from '../core/errors.ts';
import type { Document } from './merge.ts';
import { parseSection, schemaVersion, section } from './section.ts';

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

const tableSchema = section({
  schema_version: schemaVersion,
  table: section({
    name,
    columns: z.array(column).min(1).readonly(),
    indexes: z.array(index).default([]).readonly(),
  }),
});

/** One table of the store (form of S2 §4.5). */
export type TableSchema = z.output<typeof tableSchema>['table'];

/** Parses a storage schema; an index may name columns of its table only. */
export function parseTable(document: Document, file: string): TableSchema {
  const { table } = parseSection(tableSchema, document, file);
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
