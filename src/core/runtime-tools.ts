import { dottedId } from './dotted-id.ts';
import { SkeinError } from './errors.ts';
import { PRIMARY_ACTIONS } from './item.ts';

const THREADS = 'rye.agent.threads.';
const PRIMARY: ReadonlySet<string> = new Set(PRIMARY_ACTIONS.map((action) => `rye.${action}`));

/**
 * Refuses to have a tool registered under the id of one that the runtime itself carries out: the primary actions, all that
 * is about threads, and the tools of MCP servers.
 *
 * @throws SkeinError `invalid_argument`
 */
export function refuseRuntimeTool(id: string): void {
  if (isMcpTool(id)) {
    throw new SkeinError(
      'invalid_argument',
      `The tool ${id} would be one of an MCP server: no other can have such an id`,
    );
  }
  if (!PRIMARY.has(dottedId(id)) && !dottedId(id).startsWith(THREADS)) return;
  throw new SkeinError('invalid_argument', `The tool ${id} is carried out by the runtime: no other can be registered`);
}

/** Whether an id has the rights of a tool of an MCP server, `mcp/<server>/<tool>`, configured or not. */
export function isMcpTool(id: string): boolean {
  return dottedId(id).startsWith('mcp.');
}
