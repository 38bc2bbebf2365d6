import type { HookEvent } from '../../core/hook-events.ts';
import type { Control } from './control.ts';
import type { InWorker } from '../conversation/conversation.ts';
import type { Hook } from './hooks.ts';
import { askOfHook } from '../steps/approval.ts';
import { warnOfHook } from './run-hooks.ts';

/** What hooks decided at an event, and which of them. */
export type Decided = InWorker & {
  readonly event: HookEvent;
  readonly by: Hook | undefined;
  /** What it is about, where an event comes several times in a turn. */
  readonly subject?: () => Subject;
};

/** The call or the child, by its id, that a hook decides about; `text`: the tool and its input, or the directive. */
export type Subject = { readonly id: string; readonly text: string };

/** Where `skip` means something: whoever raises the event sees to it. `retry` means something at `error` only. */
const SKIPS: ReadonlySet<HookEvent> = new Set(['before_tool', 'context_window_pressure', 'context_limit_reached']);

/**
 * Carries out a control result where a thread can end, be suspended or go on (docs/adr/0017-hooks.md has the table of all
 * events). True if it took the thread out of what it does; what means nothing at the event is a warning event.
 */
export function obeyControl(decided: Decided, control: Control | undefined): boolean {
  const { thread, event } = decided;
  switch (control?.action) {
    case 'fail': {
      const message = control.error ?? 'A hook ended the thread';
      thread.send({ type: 'FAIL', failure: { code: 'hook_failed', message } });
      return true;
    }
    case 'abort':
      thread.send({ type: 'CANCEL', reason: control.error ?? 'Aborted by a hook' });
      return true;
    case 'suspend':
    case 'escalate': {
      const ask = askOfHook(decided, control);
      thread.send({ type: 'SUSPEND', reason: 'approval', message: control.suspend_reason ?? control.error, ask });
      return true;
    }
    case 'skip':
      if (!SKIPS.has(event)) warnOfControl(decided, control);
      return false;
    case 'retry':
      warnOfControl(decided, control);
      return false;
    case 'continue':
    case undefined:
      return false;
  }
}

/** Says that a decision changes nothing where it was made, and why. */
export function warnOfControl(
  { thread, services, event, by }: Decided,
  { action }: Control,
  why = `means nothing at ${event}`,
): void {
  if (!by) return;
  const message = `"${action}" ${why}: it changes nothing`;
  warnOfHook({ thread, services, hook: by }, { code: 'hook_failed', message });
}
