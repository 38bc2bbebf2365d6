import type { HostContext } from '../host-context.ts';

/**
 * Says that nothing is left to do: no thread and no hook is in a worker or will be there again, and nothing that was asked of the store is
 * unanswered. In a runtime that drains, that is its end; one that accepts threads goes on.
 */
export function reportEmpty(host: HostContext): void {
  const { parking, cancelling, awaitingStore, lastHooks, absences, load } = host;
  const isIdle = parking.size === 0 && cancelling.size === 0 && awaitingStore.size() === 0 && lastHooks.size() === 0;
  if (isIdle && absences.away.size() === 0 && load.every((count) => count === 0)) host.tell({ type: 'EMPTY' });
}
