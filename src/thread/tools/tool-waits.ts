import type { ThreadNo } from '../../core/ids.ts';
import type { CapabilityChain } from '../../items/capability.ts';
import type { McpTools } from '../../tools/mcp-tools.ts';

/** Threads that wait until it is known which tools their MCP servers have: without that they have no palette. */
export interface ToolWaits {
  /** Calls `then` once the tools that a thread is granted are known, or can't be; in the same tick if there is no wait. */
  before(thread: ThreadNo, capabilities: CapabilityChain, then: () => void): void;
  /** Has a thread that waits go on without, in the same tick. */
  hurry(thread: ThreadNo): void;
}

/** What waits are made from. */
export type ToolWaitsOptions = {
  readonly mcp: Pick<McpTools, 'ready'>;
  /** Whether a thread is to be stopped anyway: then nothing is waited for. */
  readonly isStopping: (thread: ThreadNo) => boolean;
};

/** Makes the waits of a worker. */
export function createToolWaits({ mcp, isStopping }: ToolWaitsOptions): ToolWaits {
  const waiting = new Map<ThreadNo, () => void>();
  return {
    before(thread, capabilities, then) {
      const pending = isStopping(thread) ? undefined : mcp.ready(capabilities);
      if (!pending) return then();
      const go = (): void => {
        if (waiting.get(thread) !== go) return;
        waiting.delete(thread);
        then();
      };
      waiting.set(thread, go);
      void pending.then(go);
    },
    hurry: (thread) => waiting.get(thread)?.(),
  };
}
