import { dottedId } from '../../core/dotted-id.ts';
import { SkeinError, type Failure } from '../../core/errors.ts';
import type { SpaceName } from '../../core/item.ts';
import { refuseRuntimeTool } from '../../core/runtime-tools.ts';
import type { Tool } from '../../core/tool.ts';
import type { LeftOutTool } from '../../items/item-cache.ts';
import type { Spaces } from '../../items/spaces.ts';
import type { FileTools } from '../../tools/file-tools.ts';
import { isInternalTool } from '../../tools/internal-tool.ts';
import type { McpTools } from '../../tools/mcp-tools.ts';
import type { ThreadTools } from './thread-tools.ts';

/** Every tool a worker can call: the runtime's own, registered ones, and those of files. */
export interface ToolShelf {
  /** Every tool a model could be offered; a registered tool hides a file's tool of the same rights. */
  all(): readonly Tool[];
  /** Tools of files that a model could be offered if they could be used. */
  leftOut(): readonly LeftOutTool[];
  /**
   * A tool by id; with a source that space's file only.
   *
   * @throws SkeinError if there is none, or it can't be used, and as `registered`
   */
  find(id: string, source?: SpaceName): Tool;
  /** A tool that is no file's. @throws SkeinError `item_id_refused` for another id with the rights of one */
  registered(id: string): Tool | undefined;
  /** Adds registered tools. @throws SkeinError `invalid_argument` for an id of the runtime's own */
  add(tools: readonly Tool[]): void;
  /** Counts up whenever tools were added, or a server has others. */
  version(): number;
}

/** Registered tools: every shelf of a worker has the same. */
export interface AddedTools {
  readonly tools: ReadonlyMap<string, Tool>;
  add(tools: readonly Tool[]): void;
  /** Counts up whenever tools were added. */
  version(): number;
}

/** Makes the registered tools of a worker; none yet. */
export function createAddedTools(): AddedTools {
  const tools = new Map<string, Tool>();
  let version = 0;
  return {
    tools,
    add(more) {
      for (const { id } of more) refuseRuntimeTool(id);
      for (const tool of more) tools.set(tool.id, tool);
      version++;
    },
    version: () => version,
  };
}

/** What a shelf is filled from. */
export type ToolShelfOptions = {
  readonly files: Pick<FileTools, 'all' | 'leftOut' | 'find'>;
  readonly spaces: Pick<Spaces, 'find'>;
  /** Tools that are about threads: no file and no registered tool takes their place. */
  readonly threadTools: ThreadTools;
  readonly primaryTools: readonly Tool[];
  /** Tools of MCP servers: no other can have such ids. */
  readonly mcp: Pick<McpTools, 'all' | 'find' | 'version'>;
  /** Default: none of another shelf's. */
  readonly added?: AddedTools;
  /** Told once of a file that would take the place of a thread tool. */
  readonly onProblem: (failure: Failure) => void;
};

/** Makes a worker's tool shelf. */
export function createToolShelf(options: ToolShelfOptions): ToolShelf {
  const { files, primaryTools, mcp, added = createAddedTools() } = options;
  const { granted, directiveReturn } = options.threadTools;
  const own = new Map<string, Tool>(granted.map((tool) => [tool.id, tool]));
  let reported = false;
  const registered = (id: string): Tool | undefined => own.get(id) ?? mcp.find(id) ?? added.tools.get(id);
  const taken = (): readonly string[] => [...own.keys(), ...added.tools.keys()];
  const shownOf = <Item extends { readonly id: string }>(items: readonly Item[]): readonly Item[] => {
    const hidden = new Set([...taken(), directiveReturn.id].map(dottedId));
    return items.filter(({ id }) => !hidden.has(dottedId(id)) && !mcp.find(id) && !isInternalTool(id));
  };
  const registeredOrNone = (id: string): Tool | undefined => {
    const tool = registered(id);
    if (!tool) refuseTwin(id, taken());
    return tool;
  };
  return {
    all() {
      if (!reported) reportShadows(options);
      reported = true;
      const ofFiles = shownOf(files.all());
      return [...primaryTools, ...granted, ...mcp.all(), ...added.tools.values(), ...ofFiles];
    },
    leftOut: () => shownOf(files.leftOut()),
    find(id, source) {
      const tool = registeredOrNone(id);
      return tool && source === undefined ? tool : files.find(id, source);
    },
    registered: registeredOrNone,
    add: (tools) => added.add(tools),
    version: () => added.version() + mcp.version(),
  };
}

/** Whoever is granted a tool that is no file's means that one: its rights tell no dot from a slash. */
function refuseTwin(id: string, taken: readonly string[]): void {
  const twin = taken.find((other) => other !== id && dottedId(other) === dottedId(id));
  if (twin === undefined) return;
  throw new SkeinError(
    'item_id_refused',
    `${id} would have the rights of ${twin}, which is no file's: rename the file`,
  );
}

/** Whoever writes such a file expects it to be used. */
function reportShadows({ spaces, threadTools, onProblem }: ToolShelfOptions): void {
  for (const { id } of [...threadTools.granted, threadTools.directiveReturn]) {
    const found = spaces.find('tool', id);
    if (!found || found.space === 'system') continue;
    const message = `The tool ${id} is carried out by the runtime: this file is not used`;
    onProblem({ code: 'invalid_item', message, where: { file: found.stamp.file } });
  }
}
