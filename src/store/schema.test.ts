import { describe, expect, test } from 'vitest';
import { shippedTables } from '../../test/conformance/store-fixture.ts';
import { requireColumns, requireStoredColumns } from './required-columns.ts';
import { createStatements, type StoreColumn, type StoreIndex, type StoreTables } from './schema.ts';

function withColumn(column: StoreColumn): StoreTables {
  const tables = shippedTables();
  const columns = [...tables.events.columns.filter(({ name }) => name !== column.name), column];
  return { ...tables, events: { ...tables.events, columns } };
}

function withIndex(index: StoreIndex): StoreTables {
  const tables = shippedTables();
  return { ...tables, events: { ...tables.events, indexes: [index] } };
}

function without(key: keyof StoreTables, column: string): StoreTables {
  const tables = shippedTables();
  const columns = tables[key].columns.filter(({ name }) => name !== column);
  return { ...tables, [key]: { ...tables[key], columns } };
}

const refused = expect.objectContaining({ code: 'invalid_config' });

describe('statements', () => {
  test('a column gets its type, null, unique and default', () => {
    const note: StoreColumn = { name: 'note', type: 'TEXT', nullable: true, unique: true, default: 'none yet' };
    const table = createStatements(withColumn(note)).find((sql) => sql.startsWith('CREATE TABLE events '));
    expect(table).toContain("note TEXT UNIQUE DEFAULT 'none yet'");
    expect(table).toContain('lines TEXT NOT NULL');
    expect(table).toMatch(/STRICT$/);
  });

  test.each([
    ["lines IN ('a', 'b')"],
    ["lines = 'a' OR lines IS NULL"],
    ["lines NOT IN ('a') AND thread IS NOT NULL"],
    ["  lines\n  IN ('a','b') "],
  ])('a partial index may say %j', (where) => {
    const statements = createStatements(withIndex({ name: 'idx_open', columns: ['thread'], where }));
    expect(statements.join(';')).toContain('ON events (thread) WHERE ');
  });

  test.each([
    ['a name with SQL in it', withColumn({ name: 'a); DROP TABLE threads; --', type: 'TEXT' })],
    ['a quoted name', withColumn({ name: '"a"', type: 'TEXT' })],
    ['an empty name', withColumn({ name: '', type: 'TEXT' })],
    ['a name that belongs to SQLite', withColumn({ name: 'sqlite_a', type: 'TEXT' })],
    ['an unknown type', withColumn({ name: 'a', type: 'TEXT CHECK (1)' })],
    ['a default with a quote', withColumn({ name: 'a', type: 'TEXT', default: "x'||y" })],
    ['a default that is not a number', withColumn({ name: 'a', type: 'REAL', default: Number.NaN })],
    ['an index on a column that is not there', withIndex({ name: 'i', columns: ['nowhere'] })],
    ['an index on nothing', withIndex({ name: 'i', columns: [] })],
    ['a condition with a subquery', withIndex({ name: 'i', columns: ['thread'], where: 'thread IN (SELECT 1)' })],
    ['a condition with a second statement', withIndex({ name: 'i', columns: ['thread'], where: "a = 'b'; DROP x" })],
    ['a very long condition', withIndex({ name: 'i', columns: ['thread'], where: "a = 'b' AND ".repeat(9_000) })],
  ])('%s is refused', (_, tables) => {
    expect(() => createStatements(tables)).toThrow(refused);
  });
});

describe('what the statements rely on', () => {
  test('the shipped tables have it', () => {
    expect(() => requireColumns(shippedTables())).not.toThrow();
  });

  test.each([
    ['a missing ledger column', without('ledger', 'committed')],
    ['a missing checkpoint column', without('checkpoints', 'state')],
    ['another type', withColumn({ name: 'lines', type: 'BLOB' })],
    ['a new column the store can’t fill', withColumn({ name: 'extra', type: 'TEXT' })],
    ['another table name', { ...shippedTables(), events: { ...shippedTables().events, name: 'log' } }],
  ])('%s is refused', (_, tables) => {
    expect(() => requireColumns(tables)).toThrow(refused);
  });

  test('a new column that may be empty is welcome', () => {
    expect(() => requireColumns(withColumn({ name: 'extra', type: 'TEXT', nullable: true }))).not.toThrow();
  });

  test('a database without one of the columns is damaged', () => {
    const columnsOf = (): string[] => ['thread'];
    expect(() => requireStoredColumns(columnsOf)).toThrow(expect.objectContaining({ code: 'store_corrupt' }));
  });
});
