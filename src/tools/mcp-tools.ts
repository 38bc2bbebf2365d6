import type { McpConfig } from '../config/mcp.ts';
import type { Failure } from '../core/errors.ts';
import type { Tool, ToolOutcome } from '../core/tool.ts';
import type { CapabilityChain } from '../items/capability.ts';
import type { Clock } from '../core/clock.ts';
import type { Env } from './child-env.ts';
import type { McpDefinition } from './mcp-definitions.ts';
import { McpLink } from './mcp-link.ts';
import { mcpPrefix, mcpServerOf } from './mcp-tool-ids.ts';
import { createOrphanGuard } from './orphan-guard.ts';
import { executeCapability } from './grant-rank.ts';
import { meetsPrefix } from './primary-offer.ts';

/**
 * The tools of the configured MCP servers, `mcp/<server>/<tool>`: one connection per worker and server, made when the first
 * thread starts that is granted a tool of it, or when one is called (docs/adr/0011-mcp.md).
 */
export interface McpTools {
  /** The tool of an id, for every id of a configured server: one that the server does not have fails when it is called. */
  find(id: string): Tool | undefined;
  /** Every tool that is known. */
  all(): readonly Tool[];
  /** Counts up whenever `all` has changed. */
  version(): number;
  /** Asks the servers that these capabilities reach for their tools. Undefined if that is known; never rejects. */
  ready(capabilities: CapabilityChain): Promise<void> | undefined;
  /** Why tools that these capabilities may reach are missing: one sentence for each server that can't be used. */
  troubles(capabilities: CapabilityChain): readonly string[];
  /** Ends the connections in good order. */
  close(): Promise<void>;
  /** Ends the connections and kills the servers' processes: for worker exit. */
  killAll(): void;
}

/** What the MCP tools of a worker or a command are made from. */
export type McpToolsOptions = {
  readonly config: McpConfig;
  readonly projectPath: string;
  readonly env: Env;
  readonly clock: Clock;
  readonly onProblem: (failure: Failure) => void;
};

/** Makes the MCP tools of a worker or a command; nothing is started yet. */
export function createMcpTools({ config, ...given }: McpToolsOptions): McpTools {
  const guard = createOrphanGuard();
  const around = { ...given, guard };
  const servers = Object.entries(config.servers).filter(([, { enabled }]) => enabled);
  const links = new Map(servers.map(([name, server]) => [name, new McpLink({ name, config: server }, around)]));
  const offers = [...links.values()].map(createOffer);
  const reached = (capabilities: CapabilityChain): readonly McpLink[] =>
    links.size === 0 ? [] : [...links].filter(([name]) => reaches(capabilities, name)).map(([, link]) => link);
  return {
    find: (id) => {
      const link = links.get(mcpServerOf(id) ?? '');
      return link && createTool(link.definitions()?.get(id) ?? unlisted(id), link);
    },
    all: () => offers.flatMap((offer) => offer().tools),
    version: () => offers.reduce((sum, offer) => sum + offer().version, 0),
    ready: (capabilities) => {
      const pending = reached(capabilities).flatMap((link) => link.prepare() ?? []);
      return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined);
    },
    troubles: (capabilities) => reached(capabilities).flatMap((link) => link.trouble() || []),
    close: async () => {
      try {
        await Promise.all([...links.values()].map((link) => link.close()));
      } finally {
        guard.close();
      }
    },
    killAll: () => {
      for (const link of links.values()) link.kill();
      guard.close();
    },
  };
}

/** Whether each level of the capabilities has a pattern that some tool of the server fits. */
function reaches(capabilities: CapabilityChain, server: string): boolean {
  const prefix = executeCapability(mcpPrefix(server));
  return (
    capabilities.length > 0 && capabilities.every((level) => level.some((pattern) => meetsPrefix(pattern, prefix)))
  );
}

type Offer = { readonly tools: readonly Tool[]; readonly version: number };

/** A link's tools, made once for each change. */
function createOffer(link: McpLink): () => Offer {
  let known: ReturnType<McpLink['definitions']>;
  let offer: Offer = { tools: [], version: 0 };
  return () => {
    const definitions = link.definitions();
    if (definitions === known || definitions === undefined) return offer;
    known = definitions;
    const tools = [...definitions.values()].map((definition) => createTool(definition, link));
    offer = { tools, version: offer.version + 1 };
    return offer;
  };
}

type Shown = Pick<McpDefinition, 'id' | 'description' | 'inputSchema'>;

/** A tool that the server has not told of, or not yet: it is asked when the tool is called. */
function unlisted(id: string): Shown {
  return { id, description: 'A tool of an MCP server', inputSchema: { type: 'object' } };
}

/** What a server says of itself is not relied on: every tool may have effects. */
function createTool({ id, description, inputSchema }: Shown, link: McpLink): Tool {
  return {
    id,
    description,
    inputSchema,
    idempotent: false,
    run(input, _caller, done) {
      const cancel = new AbortController();
      const settle = (outcome: ToolOutcome): void => {
        if (!cancel.signal.aborted) done(outcome);
      };
      void link.call({ id, input, signal: cancel.signal }).then(settle);
      return { abort: () => cancel.abort() };
    },
  };
}
