import { describe, expect, test } from 'vitest';
import { parseTable } from './tables.ts';

const COLUMNS = [
  { name: 'thread', type: 'INTEGER', primary_key: true },
  { name: 'note', type: 'TEXT', nullable: true, default: 'none' },
];

function parse(table: Record<string, unknown>): ReturnType<typeof parseTable> {
  return parseTable({ schema_version: '1.0.0', table: { name: 'notes', columns: COLUMNS, ...table } }, 'notes.yaml');
}

test('what is not said is false, and there need be no indexes', () => {
  expect(parse({})).toEqual({
    name: 'notes',
    columns: [
      { name: 'thread', type: 'INTEGER', primaryKey: true, nullable: false, unique: false },
      { name: 'note', type: 'TEXT', primaryKey: false, nullable: true, unique: false, default: 'none' },
    ],
    indexes: [],
  });
});

describe('a schema is refused for', () => {
  test.each([
    ['a name that is no word', { name: 'notes; DROP TABLE threads' }, 'table.name', 'snake_case'],
    ['an unknown type', { columns: [{ name: 'a', type: 'DATE' }] }, 'table.columns[a].type', 'INTEGER'],
    ['no columns', { columns: [] }, 'table.columns', '>=1'],
    ['a column twice', { columns: [...COLUMNS, ...COLUMNS] }, 'table', '"thread" appears twice'],
    ['an unknown key', { columns: [{ name: 'a', type: 'TEXT', pk: true }] }, 'table.columns[a]', 'unknown key "pk"'],
    ['an unknown column', { indexes: [{ name: 'i', columns: ['no'] }] }, 'table.indexes[i].columns', 'thread, note'],
    ['an index twice', { indexes: [0, 1].map(() => ({ name: 'i', columns: ['note'] })) }, 'table', '"i" appears twice'],
  ])('%s', (_, table, path, message) => {
    expect(() => parse(table)).toThrow(
      expect.objectContaining({
        code: 'invalid_config',
        message: expect.stringContaining(message),
        where: { file: 'notes.yaml', path },
      }),
    );
  });
});
