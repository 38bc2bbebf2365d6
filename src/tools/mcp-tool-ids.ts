import { hash } from 'node:crypto';

/** First segment of the ids of all tools of MCP servers. */
const ROOT = 'mcp';
const MAX_SEGMENT = 64;

/** Id of a server's tools without their own segment: `mcp/<server>/`. */
export function mcpPrefix(server: string): string {
  return `${ROOT}/${server}/`;
}

/** The server that an id belongs to, if it is that of a tool of an MCP server. */
export function mcpServerOf(id: string): string | undefined {
  const [root, server, tool, ...more] = id.split('/');
  return root === ROOT && tool !== undefined && more.length === 0 ? server : undefined;
}

/**
 * Item ids for a server's tools, by the names it gives them: `mcp/<server>/<name>`, with `_` for what has no place in an
 * id. A dot has none either, since capabilities write slashes as dots. Where names meet in one id, the tool that is
 * called exactly so keeps it, and each other one gets a hash of its name. The result does not depend on the order.
 */
export function mcpToolIds(server: string, names: readonly string[]): ReadonlyMap<string, string> {
  const unique = [...new Set(names)].toSorted();
  const sharers = Map.groupBy(unique, segmentOf);
  const taken = new Set(sharers.keys());
  return new Map(
    unique.map((name) => {
      const segment = segmentOf(name);
      const isAlone = sharers.get(segment)?.length === 1;
      return [name, `${mcpPrefix(server)}${isAlone || segment === name ? segment : hashed(name, taken)}`];
    }),
  );
}

function segmentOf(name: string): string {
  const segment = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_SEGMENT);
  return segment === '' ? '_' : segment;
}

function hashed(name: string, taken: Set<string>): string {
  const digest = hash('sha256', name);
  for (let length = 8; length < 32; length += 4) {
    const segment = `${segmentOf(name).slice(0, MAX_SEGMENT - length - 1)}_${digest.slice(0, length)}`;
    if (taken.has(segment)) continue;
    taken.add(segment);
    return segment;
  }
  return digest;
}
