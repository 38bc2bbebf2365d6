import { suspendAsAsked } from './asked-suspension.ts';
import type { Effect } from './effects.ts';
import { giveBack } from './reserve-budget.ts';

/**
 * Waits at the gate of its provider. Nothing is reserved meanwhile: others may need the money, and it is asked for again
 * before the call. A cancel or the deadline ends the wait through `stopWork`.
 */
export const waitForProvider: Effect = (thread, services) => {
  const { reserved } = thread;
  thread.reserved = 0;
  if (reserved > 0) giveBack(thread, services, reserved);
  // Its next step may be far away.
  if (suspendAsAsked(thread)) return;
  services.journal.flushSoon(thread);
  services.gates.wait(thread.plan.model.provider.id, thread, () => thread.send({ type: 'PROVIDER_OPEN' }));
};
