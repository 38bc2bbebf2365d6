import { suspendAsAsked } from './asked-suspension.ts';
import type { Effect } from './effects.ts';
import { deadlineOf, outlasts, timeOver } from './deadline.ts';
import { fallBack, nextModel } from './fall-back.ts';
import { giveBack } from './reserve-budget.ts';

/**
 * Waits at the gate of its provider. If it has no time for that, another model goes on, or it is at its limit now: its slot is of
 * use to others. Nothing is reserved meanwhile: others may need the money, and it is asked for again before the call. A cancel or the
 * deadline ends the wait through `stopWork`.
 */
export const waitForProvider: Effect = (thread, services) => {
  const { reserved } = thread;
  thread.reserved = 0;
  if (reserved > 0) giveBack(thread, services, reserved);
  // Its next step may be far away.
  if (suspendAsAsked(thread)) return;
  const { gates, clock, journal } = services;
  const { id } = thread.plan.model.provider;
  const now = clock.now();
  const closedMs = gates.closedFor(id) ?? 0;
  if (outlasts(thread, now, closedMs)) {
    const model = nextModel({ thread, services });
    return model
      ? fallBack({ thread, services }, model, TOO_MANY_CALLS)
      : thread.send(timeOver(thread, now + closedMs));
  }
  journal.flushSoon(thread);
  const patienceMs = thread.deadline === undefined ? Number.POSITIVE_INFINITY : deadlineOf(thread) - now;
  gates.wait(id, thread, { go: () => thread.send({ type: 'PROVIDER_OPEN' }), patienceMs });
};

const TOO_MANY_CALLS = 'it takes no calls before the time of the thread is over';
