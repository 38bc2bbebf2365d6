import { toFailure, type Failure } from '../../core/errors.ts';
import type { ItemServices } from '../../tools/item-services.ts';
import type { McpTools } from '../../tools/mcp-tools.ts';

/** What a worker has open, of every version of its config: processes, connections, files. */
export interface OpenParts {
  readonly mcp: ReadonlySet<McpTools>;
  /** The function it returns ends the connections, in good order. */
  addMcp(tools: McpTools, onProblem: (failure: Failure) => void): () => void;
  /** The function it returns ends the tool processes and closes the index. */
  addItems(services: Pick<ItemServices, 'close'>): () => void;
  /** Ends all of it at once: for worker exit. */
  readonly killAll: () => void;
}

/** Makes the list of a worker; empty. */
export function createOpenParts(): OpenParts {
  const mcp = new Set<McpTools>();
  const items = new Set<Pick<ItemServices, 'close'>>();
  return {
    mcp,
    addMcp(tools, onProblem) {
      mcp.add(tools);
      return () => {
        void tools
          .close()
          .catch((thrown: unknown) => onProblem(toFailure(thrown, 'tool_failed')))
          .then(() => mcp.delete(tools));
      };
    },
    addItems(services) {
      items.add(services);
      return () => {
        if (items.delete(services)) services.close();
      };
    },
    killAll() {
      for (const services of items) services.close();
      for (const tools of mcp) tools.killAll();
      items.clear();
      mcp.clear();
    },
  };
}
