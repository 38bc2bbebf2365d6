import type { Thread } from '../thread.ts';

/** Suspends a thread of which nothing is in flight if its suspension has waited for that; says whether it has. */
export function suspendAsAsked(thread: Thread): boolean {
  const asked = thread.suspendRequest;
  if (!asked) return false;
  thread.suspendRequest = undefined;
  thread.send({ type: 'SUSPEND', ...asked });
  return true;
}
