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

/** The events of a hook that names one or several. */
export function eventsOf({ event }: { readonly event: string | readonly string[] }): readonly string[] {
  return typeof event === 'string' ? [event] : event;
}

/** Why a hook of these events may not have a `position`; undefined if it may. */
export function positionFault(events: readonly string[]): string | undefined {
  if (!events.includes('build_system_prompt')) return undefined;
  return 'a hook on build_system_prompt has no position: its text comes before those of <context>';
}

/** A hook's events and actions, as far as its route is concerned. */
type Routing = {
  readonly event: string | readonly string[];
  readonly action?: Readonly<Record<string, unknown>>;
  readonly actions?: readonly Readonly<Record<string, unknown>>[];
};

/** Why a hook may not set what a directive extends, or does not, where it must; undefined if all is well. */
export function extendsFault(spec: Routing): string | undefined {
  const events = eventsOf(spec);
  const sets = [spec.action, ...(spec.actions ?? [])].map((action) => action?.['set_extends'] !== undefined);
  if (sets.includes(true) && !events.every(isRoute)) return 'set_extends works for the event resolve_extends only';
  const isOne = spec.actions === undefined && sets[0];
  return events.some(isRoute) && !isOne ? 'a hook on resolve_extends has one action, set_extends' : undefined;
}

/** Whether hooks of this event say what a directive extends. */
export function isRoute(event: string): boolean {
  return event === 'resolve_extends';
}
