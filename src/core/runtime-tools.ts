import { SkeinError } from './errors.ts';
import { PRIMARY_ACTIONS } from './item.ts';

const THREADS = 'rye/agent/threads/';
const PRIMARY: ReadonlySet<string> = new Set(PRIMARY_ACTIONS.map((action) => `rye/${action}`));

/**
 * Refuses to have a tool registered under the id of one that the runtime itself carries out: the primary actions, and all
 * that is about threads.
 *
 * @throws SkeinError `invalid_argument`
 */
export function refuseRuntimeTool(id: string): void {
  if (!PRIMARY.has(id) && !id.startsWith(THREADS)) return;
  throw new SkeinError('invalid_argument', `The tool ${id} is carried out by the runtime: no other can be registered`);
}
