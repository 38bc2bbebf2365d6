import { connectProject, SkeinError, type ProjectConnection } from '../index.ts';
import type { CliIo } from './io.ts';

/**
 * A connection to a project in which something is to be changed; undefined: an older version of this program has written what
 * is stored, and the runtime that is started for the change brings it up to date.
 */
export async function connectToAct(
  project: string,
  { env }: Pick<CliIo, 'env'>,
): Promise<ProjectConnection | undefined> {
  try {
    return await connectProject({ project, env });
  } catch (thrown) {
    if (isOlder(thrown)) return undefined;
    throw thrown;
  }
}

/** A newer one has a code of its own. */
function isOlder(thrown: unknown): boolean {
  return thrown instanceof SkeinError && thrown.code === 'store_failed' && thrown.detail?.['version'] !== undefined;
}
