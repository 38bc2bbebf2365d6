import type { ApiStatus, ThreadRow } from '../../api.ts';

const ENDED: ReadonlySet<ApiStatus> = new Set(['completed', 'error', 'cancelled', 'continued']);

/** Whether nothing more happens in a thread that stands so. */
export function hasEnded(status: ApiStatus): boolean {
  return ENDED.has(status);
}

/** How long a thread has been there; until it ended, if it has. */
export function lifeMs({ status, created_at_ms: from, updated_at_ms: to }: ThreadRow, nowMs: number): number {
  return Math.max(0, (hasEnded(status) ? to : nowMs) - from);
}
