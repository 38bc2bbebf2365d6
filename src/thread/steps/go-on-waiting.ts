import type { WaitingThread } from '../../core/protocol.ts';
import { tellChildNews } from '../hooks/child-hooks.ts';
import type { InWorker } from '../conversation/conversation.ts';
import { startDeadline } from './deadline.ts';
import { waitAgain } from './tool-step.ts';

/** Goes on where a thread was that left its worker while it waited; what it has missed of its children is in its log now. */
export function goOnWaiting(worker: InWorker, { deadline }: WaitingThread): void {
  const { thread, services } = worker;
  if (deadline !== undefined) startDeadline(thread, services);
  waitAgain(worker);
  tellChildNews(worker);
  if (thread.lines !== '') services.journal.flushSoon(thread);
}
