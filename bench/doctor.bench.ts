/*
 * How long `doctor` takes for a database of so many threads, and the memory of its process. One tree is run, and copied
 * inside the database until there are enough. `npm run build && node bench/doctor.bench.ts [threads]`
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { chaosParts } from '../test/fixtures/chaos.ts';
import { scene } from '../test/fixtures/scene.ts';
import { importSkein } from '../test/fixtures/skein.ts';
import { treeOptions } from '../test/fixtures/tree.ts';

/** Columns that name a thread by its number, in all tables. */
const NUMBERS = new Set(['thread', 'parent_thread', 'root_thread', 'predecessor', 'successor']);
const TABLES = ['threads', 'events', 'budget_ledger', 'checkpoints'] as const;

const threads = Number(process.argv[2] ?? 1_000_000);
const SHAPE = { depth: 1, fanOut: 3, synchronous: true, answerMs: 0 };
await using it = await scene(chaosParts(SHAPE), treeOptions(10));
const root = await it.runtime.spawn('level0');
await root.result;
await it.runtime.close();
const file = join(it.project.path, '.ai', 'threads', 'threads.db');
const copies = copyTree(file, threads);
console.log(`${copies} threads, ${Math.round(statSync(file).size / 1e6)} MB`);

const { doctor } = await importSkein();
const memory = process.memoryUsage().rss;
const before = process.cpuUsage();
const began = performance.now();
const { findings } = await doctor({ project: it.project.path });
const seconds = (performance.now() - began) / 1_000;
const cpu = process.cpuUsage(before);
console.log(`${seconds.toFixed(1)} s, of which ${((cpu.user + cpu.system) / 1e6).toFixed(1)} s CPU`);
const most = process.resourceUsage().maxRSS / 1_000;
console.log(`${most.toFixed(0)} MB at most, ${(memory / 1e6).toFixed(0)} MB before; ${findings.length} findings`);
if (findings.length > 0) console.log(findings.slice(0, 5));

/** Copies all rows until there are so many threads; to their number. */
function copyTree(path: string, wanted: number): number {
  const db = new Database(path);
  db.pragma('synchronous = OFF');
  const count = Number(db.prepare('SELECT COUNT(*) FROM threads').pluck().get());
  const last = Math.ceil(wanted / count) - 1;
  db.transaction(() => {
    for (const table of TABLES) db.prepare(copySql(db, table, count)).run(last);
  })();
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  return count * (last + 1);
}

function copySql(db: Database.Database, table: string, count: number): string {
  const columns = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);
  const copied = columns.map((column) => {
    if (column === 'thread_id') return `printf('thread-%032x', thread + copy.number * ${count})`;
    return NUMBERS.has(column) ? `${column} + copy.number * ${count}` : column;
  });
  return `WITH RECURSIVE copy(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM copy WHERE number < ?)
    INSERT INTO ${table} (${columns.join(', ')}) SELECT ${copied.join(', ')} FROM copy CROSS JOIN ${table} ORDER BY copy.number`;
}
