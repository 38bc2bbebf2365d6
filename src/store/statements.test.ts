import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { scratchFolder, shippedTables } from '../../test/conformance/store-fixture.ts';
import { openWriter } from './connection.ts';
import { createDatabase, makeFolder } from './create-database.ts';
import { prepareStatements } from './statements.ts';

test('the children of a thread are found by an index, and need no sorting', () => {
  using scratch = scratchFolder();
  makeFolder(dirname(scratch.path));
  createDatabase(scratch.path, shippedTables());
  const db = openWriter(scratch.path);
  const { source } = prepareStatements(db).children;
  const plan = db.prepare<[number], { detail: string }>(`EXPLAIN QUERY PLAN ${source}`).all(1);
  db.close();
  expect(plan.map(({ detail }) => detail)).toEqual(['SEARCH threads USING INDEX idx_threads_parent (parent_thread=?)']);
});
