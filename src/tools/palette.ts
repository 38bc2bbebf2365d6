import type { ToolDefinition } from '../core/conversation.ts';
import type { PrimaryAction } from '../core/item.ts';
import type { Tool } from '../core/tool.ts';
import { bestGrant, compileGrants } from './grant-rank.ts';
import { offeredTool } from './offered-tool.ts';
import { primaryOfTool } from './primary-offer.ts';
import { toolNames } from './tool-names.ts';

/** What a palette is made from. */
export type PaletteOptions = {
  readonly tools: readonly Tool[];
  /** Whether the thread may execute the tool with this id. */
  readonly allows: (id: string) => boolean;
  /** `directive_return`, when the thread has outputs: always offered, outside the budget. */
  readonly returnTool?: ToolDefinition;
  /** `tool_preload.max_tokens`: budget for definitions, at 4 characters a token (S3). Primary actions are free. */
  readonly maxTokens: number;
  /** `tool_preload.enabled`: false = only primary actions and the return tool are offered. */
  readonly enabled: boolean;
  /** The thread's capabilities, to offer what is granted by name before what a wildcard covers. */
  readonly capabilityPatterns: readonly string[];
};

/** The tools a thread's model sees and may call. Immutable: can be shared by threads with the same rights. */
export type Palette = {
  /** In the order of their names, the return tool last. */
  readonly definitions: readonly ToolDefinition[];
  /** Ids that are allowed but did not fit the budget, in the order in which they would have been offered. None if not `enabled`. */
  readonly leftOut: readonly string[];
  /** The allowed tool behind a name; also one that was left out. */
  resolve(name: string): Tool | undefined;
  /** The id behind a name, allowed or not. */
  idOf(name: string): string | undefined;
  /** The primary action that a call by this name is routed to (S3 `_primary`): of every tool but those it is `execute`. */
  primaryOf(name: string): PrimaryAction;
  /** The name of a tool, allowed or not. */
  nameOf(id: string): string | undefined;
};

/** Builds a palette (S3 layer 1). Pure: the same options in any order give the same palette. */
export function buildPalette(options: PaletteOptions): Palette {
  const { tools, returnTool } = options;
  const names = paletteNames(tools, returnTool ? [returnTool.name] : []);
  const ids = new Map([...names].map(([id, name]) => [name, id]));
  const allowed = new Map(tools.filter((tool) => options.allows(tool.id)).map((tool) => [tool.id, tool]));
  const { offered, leftOut } = withinBudget([...allowed.values()].toSorted(byId), options);
  const definitions = offered.map((tool) => definitionOf(tool, names)).toSorted(byName);
  return {
    definitions: returnTool ? [...definitions, { ...returnTool, ...offeredTool(returnTool) }] : definitions,
    leftOut: leftOut.map((tool) => tool.id),
    resolve: (name) => allowed.get(ids.get(name) ?? ''),
    idOf: (name) => ids.get(name),
    primaryOf: (name) => primaryOfTool(ids.get(name) ?? '') ?? 'execute',
    nameOf: (id) => names.get(id),
  };
}

/** Prompts name the primary actions: whatever else has one of these names gives way. */
function paletteNames(tools: readonly Tool[], reserved: readonly string[]): ReadonlyMap<string, string> {
  const ids = tools.map(({ id }) => id);
  const primary = toolNames(ids.filter(isPrimary), []);
  const others = ids.filter((id) => !isPrimary(id));
  return new Map([...primary, ...toolNames(others, [...reserved, ...primary.values()])]);
}

type Split = { readonly offered: readonly Tool[]; readonly leftOut: readonly Tool[] };

function withinBudget(tools: readonly Tool[], options: PaletteOptions): Split {
  const primary = tools.filter((tool) => isPrimary(tool.id));
  const grants = compileGrants(options.capabilityPatterns);
  const ranked = tools
    .filter((tool) => !isPrimary(tool.id))
    .map((tool) => ({ tool, rank: bestGrant(tool.id, grants)?.rank ?? 0 }))
    .toSorted((left, right) => right.rank - left.rank)
    .map(({ tool }) => tool);
  if (!options.enabled) return { offered: primary, leftOut: [] };
  let left = options.maxTokens;
  const fits = (tool: Tool): boolean => {
    const tokens = definitionTokens(tool);
    if (tokens > left) return false;
    left -= tokens;
    return true;
  };
  const split = Map.groupBy(ranked, (tool) => (fits(tool) ? 'offered' : 'leftOut'));
  return { offered: [...primary, ...(split.get('offered') ?? [])], leftOut: split.get('leftOut') ?? [] };
}

function isPrimary(id: string): boolean {
  return primaryOfTool(id) !== undefined;
}

/** What a definition costs of the budget: schema and description at 4 characters a token (S3). */
export function definitionTokens(tool: Pick<Tool, 'inputSchema' | 'description'>): number {
  const { inputSchema, description } = offeredTool(tool);
  return Math.ceil((JSON.stringify(inputSchema).length + description.length) / 4);
}

function definitionOf(tool: Tool, names: ReadonlyMap<string, string>): ToolDefinition {
  return { name: names.get(tool.id) ?? tool.id, ...offeredTool(tool) };
}

function byId(left: Tool, right: Tool): number {
  return left.id < right.id ? -1 : 1;
}

function byName(left: ToolDefinition, right: ToolDefinition): number {
  return left.name < right.name ? -1 : 1;
}
