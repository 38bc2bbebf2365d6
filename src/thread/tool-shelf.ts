import { toFailure, type Failure } from '../core/errors.ts';
import type { ToolItem } from '../core/item.ts';
import type { Tool } from '../core/tool.ts';
import type { ItemCache } from '../items/item-cache.ts';
import { createProcessTool } from '../tools/process-tool.ts';
import type { ProcessRuntime } from '../tools/process-runtime.ts';
import type { ThreadTool } from './thread-tools.ts';

/** Every tool a worker can call: registered ones, the thread tools, and those of files. */
export interface ToolShelf {
  /** Every tool there is; a registered tool hides a file's tool of the same id. */
  all(): readonly Tool[];
  /** Adds registered tools. */
  add(tools: readonly Tool[]): void;
  /** Counts up whenever tools were added. */
  version(): number;
}

/** What a shelf is filled from. */
export type ToolShelfOptions = {
  readonly items: ItemCache;
  readonly processes: ProcessRuntime;
  readonly threadTools: readonly ThreadTool[];
  /** Told of a tool that can't be offered. */
  readonly onProblem: (failure: Failure) => void;
};

/** Makes a worker's tool shelf. */
export function createToolShelf({ items, processes, threadTools, onProblem }: ToolShelfOptions): ToolShelf {
  const registered = new Map<string, Tool>(threadTools.map((tool) => [tool.id, tool]));
  let version = 0;
  // An item is the same object for as long as its file has not changed.
  const made = new WeakMap<ToolItem, Tool | 'unusable'>();
  const toolOf = (item: ToolItem): Tool | undefined => {
    const tool = made.get(item) ?? processTool(item, processes, onProblem);
    made.set(item, tool);
    return tool === 'unusable' ? undefined : tool;
  };
  return {
    all() {
      const files = items.listTools().filter(({ id }) => !registered.has(id));
      return [...registered.values(), ...files.flatMap((item) => toolOf(item) ?? [])];
    },
    add(tools) {
      for (const tool of tools) registered.set(tool.id, tool);
      version++;
    },
    version: () => version,
  };
}

/** A tool whose schema can't be used is left out; its file is named in the problem. */
function processTool(
  item: ToolItem,
  processes: ProcessRuntime,
  onProblem: ToolShelfOptions['onProblem'],
): Tool | 'unusable' {
  try {
    return createProcessTool(item, processes);
  } catch (thrown) {
    onProblem(toFailure(thrown, 'invalid_item'));
    return 'unusable';
  }
}
