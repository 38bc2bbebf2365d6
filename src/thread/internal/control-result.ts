import type { Control } from '../hooks/control.ts';

type Result = Readonly<Record<string, unknown>> | null;

/** What `internal/control` answers (S2 §5.1): null where the thread simply goes on. */
export function controlResult(input: Readonly<Record<string, unknown>>): Result {
  const control = toControl(input);
  const { action } = control;
  switch (action) {
    case 'continue':
    case 'skip':
      return null;
    case 'retry':
      return { action };
    case 'fail':
      return { success: false, error: control.error ?? 'Hook triggered failure' };
    case 'abort':
      return { success: false, aborted: true, error: 'Aborted by hook' };
    case 'suspend':
      return { success: false, suspended: true, error: control.suspend_reason ?? 'Suspended by hook' };
    case 'escalate':
      return {
        success: false,
        suspended: true,
        escalated: true,
        error: 'Escalation requested',
        ...escalation(control),
      };
  }
}

/** What `internal/control` was told to decide. */
export function toControl(input: Readonly<Record<string, unknown>>): Control {
  // The schema of its file admits nothing else.
  return input as Control;
}

function escalation({ limit_type, current_value }: Control): Readonly<Record<string, unknown>> {
  return { escalation: { limit_type: limit_type ?? null, current_value: current_value ?? null } };
}
