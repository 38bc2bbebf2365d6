import type { EventPayloads } from '../../core/events.ts';
import { formatUsd, nanoToUsd, usdToNano, type NanoUsd } from '../../core/money.ts';
import { askAbout } from './approval.ts';
import type { InWorker } from '../conversation/conversation.ts';
import type { Thread } from '../thread.ts';

/** What was spent, of which so much was reserved; both in nano-USD. */
export type Overspend = { readonly reserved: NanoUsd; readonly actual: NanoUsd; readonly message: string };

/** Says in the log that more was spent than there was, and has a person decide before the next call (contracts, "Overspend"). */
export function recordOverspend({ thread, services }: InWorker, { reserved, actual, message }: Overspend): void {
  const payload = { reserved: nanoToUsd(reserved), actual: nanoToUsd(actual) };
  services.journal.record(thread, 'budget_overspend', payload);
  thread.suspendRequest = requestWith(thread, message);
}

/** The same for a thread that was interrupted before a person was asked, by what its log says. */
export function overspendRequest(
  thread: Thread,
  { reserved, actual }: EventPayloads['budget_overspend'],
): Thread['suspendRequest'] {
  const [spent, instead] = [actual, reserved].map((usd) => formatUsd(usdToNano(usd)));
  return requestWith(thread, `More was spent than was reserved (${spent} instead of ${instead})`);
}

function requestWith(thread: Thread, message: string): Thread['suspendRequest'] {
  return { reason: 'budget', message, ask: askAbout(thread, { by: 'ledger', message }) };
}
