import { askOfHook } from './approval.ts';
import type { Control } from '../hooks/control.ts';
import type { Answer } from '../conversation/history.ts';
import type { Decided } from '../hooks/obey-control.ts';

/** What a person has said to just this decision already; undefined if nobody was asked. */
export function answerTo(decided: Decided, control: Control | undefined): Answer | undefined {
  const { answers } = decided.thread;
  const asks = control?.action === 'suspend' || control?.action === 'escalate';
  return asks && answers ? answers.get(askOfHook(decided, control).point) : undefined;
}

/**
 * Whether a person has granted just this decision. It answers one hook: those after it are still asked. A grant at an event
 * without a subject is used up by this, since the event may come again in the same turn and is another decision then; a call
 * is made once, and a child starts and ends once.
 */
export function takeGrant(decided: Decided, control: Control): boolean {
  if (!answerTo(decided, control)?.granted) return false;
  if (!decided.subject) decided.thread.answers?.delete(askOfHook(decided, control).point);
  return true;
}
