import { NO_USAGE } from '../../core/provider.ts';
import { stopDeadline } from './deadline.ts';
import type { Effect } from './effects.ts';
import { mayRunAgain } from './interrupted-call.ts';
import { bookUsage } from './model-call.ts';
import { createOpenRun } from './tool-run.ts';
import { abortTools } from './tool-step.ts';

/**
 * Ends at once whatever is in flight: stream, tools, hooks, timers. The interrupted call's usage is booked, and every tool call
 * that had started gets its result, so the log stays whole; but where the thread may go on, those that may run again stay open,
 * and so do those of which it is not decided whether they run, or what becomes of their results: that is asked when it does
 * (ADR 26).
 */
export const stopWork: Effect = (thread, services, event) => {
  const { clock, gates } = services;
  gates.leave(thread.plan.model.provider.id, thread);
  thread.reserving = false;
  if (thread.assembly) thread.assembly.step = undefined;
  stopDeadline(thread, services);
  if (thread.timer !== undefined) clock.clearTimer(thread.timer);
  thread.timer = undefined;
  for (const action of thread.hookActions ?? []) action.abort();
  thread.hookActions = undefined;
  const reason = event.type === 'CANCEL' ? `cancelled: ${event.reason}` : event.type.toLowerCase();
  if (thread.call || thread.abortedUsage) {
    const usage = thread.abortedUsage ?? thread.call?.abort() ?? NO_USAGE;
    thread.call = undefined;
    thread.abortedUsage = undefined;
    thread.sink?.interrupted(reason, usage);
    bookUsage({ thread, services, usage, interrupted: true });
  } else if (thread.reserved > 0) {
    bookUsage({ thread, services, usage: NO_USAGE, interrupted: true });
  }
  const mayGoOn = event.type === 'SUSPEND' || event.type === 'LIMIT_HIT';
  if (mayGoOn && thread.toolRun?.decided === false) return;
  abortTools({ thread, services }, reason, mayGoOn ? mayRunAgain : undefined);
  if (!mayGoOn) thread.unheardCalls = undefined;
  else if (thread.unheardCalls?.size) thread.toolRun ??= createOpenRun([]);
};
