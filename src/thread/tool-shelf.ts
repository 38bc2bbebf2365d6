import type { Tool } from '../core/tool.ts';
import type { ItemCache } from '../items/item-cache.ts';
import { createProcessTool } from '../tools/process-tool.ts';
import type { ProcessRuntime } from '../tools/process-runtime.ts';
import type { ThreadTool } from './thread-tools.ts';

/** Every tool a worker can call: registered ones, the thread tools, and those of files. */
export interface ToolShelf {
  /** All tools whose id is granted; a registered tool hides a file's tool of the same id. */
  granted(allows: (id: string) => boolean): readonly Tool[];
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
};

/** Makes a worker's tool shelf. */
export function createToolShelf({ items, processes, threadTools }: ToolShelfOptions): ToolShelf {
  const registered = new Map<string, Tool>(threadTools.map((tool) => [tool.id, tool]));
  let version = 0;
  return {
    granted(allows) {
      const own = [...registered.values()].filter((tool) => allows(tool.id));
      const files = items.listTools().filter(({ id }) => !registered.has(id) && allows(id));
      return [...own, ...files.map((item) => createProcessTool(item, processes))];
    },
    add(tools) {
      for (const tool of tools) registered.set(tool.id, tool);
      version++;
    },
    version: () => version,
  };
}
