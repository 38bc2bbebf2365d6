/** Every event a hook may listen to (contracts, "Hooks"). */
export const HOOK_EVENTS = [
  'resolve_extends',
  'build_system_prompt',
  'thread_started',
  'thread_continued',
  'before_step',
  'after_step',
  'before_tool',
  'after_tool',
  'error',
  'limit',
  'context_window_pressure',
  'context_limit_reached',
  'directive_return',
  'child_started',
  'child_ended',
  'after_complete',
] as const;

/** One of {@link HOOK_EVENTS}. */
export type HookEvent = (typeof HOOK_EVENTS)[number];
