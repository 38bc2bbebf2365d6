import type { ItemCache } from '../../items/item-cache.ts';
import { CONTEXT_TOOLS } from './context-tools.ts';
import { directiveReturn } from './directive-return.ts';
import { orchestrator } from './orchestrator-tool.ts';
import { threadDirective } from './thread-directive-tool.ts';
import { createThreadTool, type ThreadTool, type ThreadToolCode } from './thread-tool.ts';

/** The thread tools of a worker. */
export type ThreadTools = {
  /** Those a directive can be granted. */
  readonly granted: readonly ThreadTool[];
  /** `directive_return`: always allowed, and offered as each directive's outputs want it (contracts). */
  readonly directiveReturn: ThreadTool;
};

/** Code of the thread tools that a directive can be granted. */
const GRANTED: readonly ThreadToolCode[] = [threadDirective, orchestrator, ...CONTEXT_TOOLS];

/** Makes the thread tools. @throws SkeinError if a file of the system space can't be used */
export function createThreadTools(items: Pick<ItemCache, 'tool'>): ThreadTools {
  return {
    granted: GRANTED.map((code) => createThreadTool(code, items)),
    directiveReturn: createThreadTool(directiveReturn, items),
  };
}
