import { fromFailure, type Failure } from '../core/errors.ts';
import type { SpaceName, ToolItem } from '../core/item.ts';
import { attempt, failed, type Result } from '../core/result.ts';
import { isMcpTool } from '../core/runtime-tools.ts';
import type { Tool } from '../core/tool.ts';
import type { LeftOutTool } from '../items/item-cache.ts';
import { describeChain, type ChainDescription } from './describe-chain.ts';
import { isCallable } from './execution-chain.ts';
import { createFileTool } from './file-tool.ts';
import type { ChainServices } from './planned-call.ts';
import type { DescribedCall } from './primary-execute.ts';

/** The tools of the spaces' files, each run by its execution chain. */
export interface FileTools {
  /** @throws SkeinError for whatever keeps the tool from being used */
  find(id: string, source?: SpaceName): Tool;
  /** Every tool that can be called, by id. */
  all(): readonly Tool[];
  /** What `all` leaves out since it can't be used. */
  leftOut(): readonly LeftOutTool[];
  /** What a call would start. @throws SkeinError as `find`, and for whatever would keep it from being started */
  describe(id: string, call: DescribedCall): ChainDescription;
}

/** What file tools are made from. */
export type FileToolsOptions = {
  readonly items: {
    tool(id: string, source?: SpaceName): ToolItem;
    listTools(): readonly ToolItem[];
    leftOutTools(): readonly LeftOutTool[];
    forget(kind: 'tool', id: string): void;
  };
  readonly primitives: Omit<ChainServices, 'lookup' | 'forget'>;
};

/** Makes the file tools of a worker or a command. */
export function createFileTools({ items, primitives }: FileToolsOptions): FileTools {
  // An item is the same object for as long as its file has not changed, and another one for each source.
  const made = new WeakMap<ToolItem, Result<Tool>>();
  const servicesFor = (id: string, source: SpaceName | undefined): ChainServices => ({
    ...primitives,
    // Its runtimes are looked for as always: the source says where the tool itself is.
    lookup: (link) => items.tool(link, link === id ? source : undefined),
    forget: (changed) => items.forget('tool', changed),
  });
  const toolOf = (item: ToolItem, source?: SpaceName): Result<Tool> => {
    const known = made.get(item);
    if (known) return known;
    const tool = isMcpTool(item.id)
      ? failed(notOfFiles(item))
      : ofFile(item.file, () => createFileTool(item, servicesFor(item.id, source)));
    made.set(item, tool);
    return tool;
  };
  const callable = (): readonly ToolItem[] => items.listTools().filter(isCallable);
  return {
    find: (id, source) => {
      const tool = toolOf(items.tool(id, source), source);
      if (tool.ok) return tool.value;
      throw fromFailure(tool.failure);
    },
    all: () =>
      callable().flatMap((item) => {
        const tool = toolOf(item);
        return tool.ok ? [tool.value] : [];
      }),
    leftOut: () => [
      ...items.leftOutTools(),
      ...callable().flatMap((item) => {
        const tool = toolOf(item);
        return tool.ok ? [] : [{ id: item.id, failure: tool.failure }];
      }),
    ],
    describe: (id, { params, caller, source }) =>
      describeChain(items.tool(id, source), servicesFor(id, source), { params, caller }),
  };
}

/** Whoever is granted a tool of an MCP server means that one, and not a file of the project. */
function notOfFiles({ id, file }: ToolItem): Failure {
  const message = `${id} would be a tool of an MCP server: no file can have such an id`;
  return { code: 'item_id_refused', message, where: { file } };
}

function ofFile(file: string, make: () => Tool): Result<Tool> {
  const made = attempt(make, 'invalid_item');
  return made.ok ? made : failed({ ...made.failure, where: { file, ...made.failure.where } });
}
