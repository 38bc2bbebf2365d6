import { NO_USAGE } from '../../core/provider.ts';
import { stopDeadline } from './deadline.ts';
import type { Effect } from './effects.ts';
import { mayRunAgain } from './interrupted-call.ts';
import { bookUsage } from './model-call.ts';
import { abortTools } from './tool-step.ts';

/**
 * Ends at once whatever is in flight: stream, tools, hooks, timers. The interrupted call's usage is booked, and every tool call
 * that had started gets its result, so the log stays whole; but where the runtime closes, those that may run again stay open for
 * the next one.
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
  // Calls of which it is not decided whether they run stay open: that is asked again when the thread goes on.
  if (event.type === 'SUSPEND' && thread.toolRun?.decided === false) return;
  const isClosing = event.type === 'SUSPEND' && event.reason === 'shutdown' && !thread.heldEnd;
  abortTools({ thread, services }, reason, isClosing ? mayRunAgain : undefined);
};
