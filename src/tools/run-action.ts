import type { RunningTool, ToolCaller } from '../core/tool.ts';
import type { ToolDispatcher } from './dispatcher.ts';
import type { WrittenAction } from './primary-request.ts';
import { failure, type PrimaryResult } from './primary-result.ts';

/** Who asks for an action outside of any thread. */
export type ActionClient = Omit<ToolCaller, 'threadId'> & {
  /** Ends the action, which is then an error result with the code `cancelled`. */
  readonly signal?: AbortSignal;
};

/** Carries out an action for a command or an MCP client. Never rejects. */
export function runAction(
  { dispatch }: Pick<ToolDispatcher, 'dispatch'>,
  action: WrittenAction,
  { signal, ...client }: ActionClient,
): Promise<PrimaryResult> {
  if (signal?.aborted) return Promise.resolve(CANCELLED);
  return new Promise((resolve) => {
    let running: RunningTool | undefined;
    const cancel = (): void => {
      running?.abort();
      resolve(CANCELLED);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    running = dispatch(action, { ...client, threadId: undefined }, (result) => {
      signal?.removeEventListener('abort', cancel);
      resolve(result);
    });
  });
}

const CANCELLED = failure({ type: null, item_id: null }, { code: 'cancelled', message: 'The action was cancelled' });
