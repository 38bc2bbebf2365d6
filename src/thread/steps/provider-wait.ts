import type { Effect } from './effects.ts';
import { giveBack } from './model-call.ts';

/**
 * Waits at the gate of its provider. Nothing is reserved meanwhile: others may need the money, and it is asked for again
 * before the call. A cancel or the deadline ends the wait through `stopWork`.
 */
export const waitForProvider: Effect = (thread, services) => {
  const { reserved } = thread;
  thread.reserved = 0;
  if (reserved > 0) giveBack(thread, services, reserved);
  const asked = thread.suspendRequest;
  if (asked) {
    // Its next step may be far away.
    thread.suspendRequest = undefined;
    return thread.send({ type: 'SUSPEND', ...asked });
  }
  services.journal.flushSoon(thread);
  services.gates.wait(thread.plan.model.provider.id, thread, () => thread.send({ type: 'PROVIDER_OPEN' }));
};
