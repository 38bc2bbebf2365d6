import type { ApprovalId } from '../../core/ids.ts';

/** What can happen to a request; `resolved`: granted, denied, or of no use any more since its thread has ended. */
export type ApprovalEvent = 'requested' | 'resolved';

/** Those who hear of requests for approval, once they are on disk. */
export interface ApprovalNews {
  tell(event: ApprovalEvent, id: ApprovalId): void;
  /** Returns the way to stop. A listener must not throw. */
  listen(listener: (event: ApprovalEvent, id: ApprovalId) => void): () => void;
}

/** Nobody listens at first. */
export function createApprovalNews(): ApprovalNews {
  const listeners = new Set<(event: ApprovalEvent, id: ApprovalId) => void>();
  return {
    tell(event, id) {
      for (const listener of listeners) listener(event, id);
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
