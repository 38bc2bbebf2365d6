import { connectProject } from '../index.ts';
import { granted } from './granted.ts';
import type { CliIo } from './io.ts';

/** What a thread and all below it have spent, in USD, as it is stored; null if that can't be read: what is over is told all the same. */
export async function treeSpend(id: string, project: string, env: CliIo['env']): Promise<number | null> {
  try {
    using connection = await connectProject({ project, env });
    return granted(await connection.orchestrator.call('get_status', { thread_id: id })).tree_spend;
  } catch {
    // `howToGoOn` asks the same database, and says why it can't be read.
    return null;
  }
}
