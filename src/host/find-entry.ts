import { z } from 'zod';
import { SkeinError } from '../core/errors.ts';
import type { Ending } from '../core/ending.ts';
import type { StoreReader, ThreadRow } from '../core/store.ts';
import { newEntry, type ThreadEntry, type ThreadTable } from './thread-table.ts';

/** Where entries are looked for: in memory, then in the store. */
export type EntrySources = { readonly table: ThreadTable; readonly reader: StoreReader };

/**
 * The entry of a thread by its id: from memory, or, for one that an earlier runtime left, from its row, together with
 * the threads below it that have not ended.
 *
 * @throws SkeinError `thread_not_found`
 */
export function findEntry(id: string, sources: EntrySources): ThreadEntry {
  const known = sources.table.byId(id);
  if (known) return known;
  // Any text may be asked for; one that is no id is in no row.
  const row = sources.reader.thread(id as ThreadRow['threadId']);
  if (!row) throw new SkeinError('thread_not_found', `There is no thread ${id} in this project`);
  return row.ending === undefined ? adopt(row, sources) : ended(row, row.ending, sources);
}

function ended(row: ThreadRow, ending: string, { reader }: EntrySources): ThreadEntry {
  const entry = newEntry(lineageOf(row, reader), undefined);
  entry.phase = 'ended';
  // The row's ending is what this package wrote.
  entry.ending = JSON.parse(ending) as Ending;
  return entry;
}

const specSchema = z.object({ limits: z.object({ spawns: z.number() }) });
const OPEN = ['created', 'running', 'suspended'] as const;

/** Takes a suspended thread and what is open below it into the table. */
function adopt(row: ThreadRow, sources: EntrySources): ThreadEntry {
  const { table, reader } = sources;
  const entry = table.add(lineageOf(row, reader), undefined);
  entry.phase = 'suspended';
  entry.suspendReason = row.suspendReason;
  entry.lastCost = row.cost;
  entry.spawnLimit = specSchema.parse(JSON.parse(reader.spec(row.thread) ?? '{}')).limits.spawns;
  entry.treeSpawned = reader.descendants(row.thread);
  for (const child of reader.threads({ parent: row.thread, status: OPEN, limit: Number.MAX_SAFE_INTEGER })) {
    if (!table.get(child.thread)) adopt(child, sources);
  }
  return entry;
}

function lineageOf({ thread, threadId, parent, root }: ThreadRow, reader: StoreReader): ThreadEntry['lineage'] {
  const parentId = parent === undefined ? undefined : reader.threadByNo(parent)?.threadId;
  return { thread, threadId, parent, parentId, root };
}
