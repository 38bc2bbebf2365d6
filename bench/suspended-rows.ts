import type { Database } from 'better-sqlite3';

/** Tables with a row for each thread, or several. */
const TABLES = ['threads', 'budget_ledger', 'checkpoints', 'events'] as const;

/** A thread's number and id. */
const OWN = new Set(['thread', 'thread_id', 'root_thread']);

/**
 * Makes `threads` of a database's one thread, a suspended root: with the rows that they would have if each had run. Nobody may
 * have the database open. Returns the ids of `wanted` of them, from all over the table.
 */
export async function multiplyThread(path: string, threads: number, wanted = 0): Promise<string[]> {
  const { default: open } = await import('better-sqlite3');
  const db = new open(path);
  try {
    const first = Number(db.prepare('SELECT MAX(thread) FROM threads').pluck().get());
    db.transaction(() => TABLES.forEach((table) => copyRows(db, { table, first, last: first + threads - 1 })))();
    const idOf = db.prepare<[number], string>('SELECT thread_id FROM threads WHERE thread = ?').pluck();
    return Array.from({ length: wanted }, (_, at) => idOf.get(first + Math.floor((at * threads) / wanted)) ?? '');
  } finally {
    db.close();
  }
}

type Copies = { readonly table: string; readonly first: number; readonly last: number };

function copyRows(db: Database, { table, first, last }: Copies): void {
  const names = db.prepare(`SELECT name FROM pragma_table_info('${table}')`).pluck().all() as string[];
  const values = names.map((name) => {
    if (!OWN.has(name)) return name;
    return name === 'thread_id' ? "'thread-' || printf('%032x', copy.no)" : 'copy.no';
  });
  db.prepare(
    `WITH RECURSIVE copy(no) AS (SELECT ? UNION ALL SELECT no + 1 FROM copy WHERE no < ?)
     INSERT INTO ${table} (${names.join(', ')})
     SELECT ${values.join(', ')} FROM copy CROSS JOIN ${table} WHERE ${table}.thread = ? ORDER BY copy.no`,
  ).run(first + 1, last, first);
}
