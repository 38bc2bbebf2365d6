import { openStore } from '../../src/store/open.ts';
import { openReader } from '../../src/store/reader.ts';
import { storeConformance } from './store.ts';
import { scratchFolder, shippedTables } from './store-fixture.ts';

storeConformance('SQLite store', () => {
  const scratch = scratchFolder();
  const tables = shippedTables();
  return {
    open: () => openStore({ path: scratch.path, tables, now: () => 9_000 }),
    read: () => openReader(scratch.path),
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  };
});
