import { nanoToUsd, type NanoUsd } from '../../core/money.ts';
import { askAbout } from './approval.ts';
import type { InWorker } from '../conversation/conversation.ts';

/** What was spent, of which so much was reserved; both in nano-USD. */
export type Overspend = { readonly reserved: NanoUsd; readonly actual: NanoUsd; readonly message: string };

/** Says in the log that more was spent than there was, and has a person decide before the next call (contracts, "Overspend"). */
export function recordOverspend({ thread, services }: InWorker, { reserved, actual, message }: Overspend): void {
  const payload = { reserved: nanoToUsd(reserved), actual: nanoToUsd(actual) };
  services.journal.record(thread, 'budget_overspend', payload);
  const ask = askAbout(thread, { by: 'ledger', message });
  thread.suspendRequest = { reason: 'budget', message, ask };
}
