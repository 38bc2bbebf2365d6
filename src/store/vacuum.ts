import type { Connection } from './connection.ts';

/** Pages given back to the file system in one go: 4 MB, some milliseconds. */
const SLICE_PAGES = 256;

/** Up to this size a database that can't be vacuumed in slices is rewritten as a whole, once; measured: 0.2 s. */
const REWRITE_MAX_BYTES = 32 * 1024 * 1024;

/** SQLite's `auto_vacuum` for a database whose free pages can be given back bit by bit. */
const INCREMENTAL = 2;

/** Gives one slice of free pages back; true when there is nothing left to give. */
export function vacuumSlice(db: Connection): boolean {
  if (numberOf(db, 'freelist_count') === 0) return true;
  if (numberOf(db, 'auto_vacuum') !== INCREMENTAL) {
    rewrite(db);
    return true;
  }
  db.pragma(`incremental_vacuum(${SLICE_PAGES})`);
  return numberOf(db, 'freelist_count') === 0;
}

/** From then on it can be done in slices. A larger database keeps its free pages, which new rows will fill. */
function rewrite(db: Connection): void {
  if (numberOf(db, 'page_count') * numberOf(db, 'page_size') > REWRITE_MAX_BYTES) return;
  db.pragma(`auto_vacuum = ${INCREMENTAL}`);
  db.exec('VACUUM');
}

function numberOf(db: Connection, pragma: string): number {
  return Number(db.pragma(pragma, { simple: true }));
}
