import type { OperationResult } from '../core/operations.ts';
import { connectProject } from '../index.ts';
import { resultOf } from './operation-answer.ts';
import type { CliIo } from './io.ts';

/** How a thread stands as it is stored; undefined if that can't be read: what is over is told all the same. */
export async function storedStanding(
  id: string,
  project: string,
  env: CliIo['env'],
): Promise<OperationResult<'get_status'> | undefined> {
  try {
    using connection = await connectProject({ project, env });
    return resultOf(await connection.orchestrator.call('get_status', { thread_id: id }));
  } catch {
    // `howToGoOn` asks the same database, and says why it can't be read.
    return undefined;
  }
}
