import type { EventType } from './events.ts';

/** The compiler keeps the list complete. */
const RUNTIME_EVENTS: Readonly<Record<EventType, true>> = {
  thread_started: true,
  thread_completed: true,
  thread_error: true,
  thread_cancelled: true,
  thread_suspended: true,
  thread_resumed: true,
  thread_continued: true,
  system_prompt: true,
  context_injected: true,
  cognition_in: true,
  cognition_out: true,
  context_compacted: true,
  context_changed: true,
  cognition_out_delta: true,
  cognition_reasoning: true,
  tool_call_start: true,
  tool_call_result: true,
  error_classified: true,
  limit_escalation_requested: true,
  approval_requested: true,
  approval_resolved: true,
  child_thread_started: true,
  child_thread_ended: true,
  directive_return: true,
  budget_overspend: true,
  usage: true,
  checkpoint_saved: true,
  model_call_started: true,
  hook_ran: true,
  warning: true,
};

/** Whether the runtime itself writes events of this name; any other that `events.yaml` declares is the project's own. */
export function isRuntimeEvent(type: string): type is EventType {
  return Object.hasOwn(RUNTIME_EVENTS, type);
}
