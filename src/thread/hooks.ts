import { HOOK_EVENTS, type HookEvent } from '../config/hooks.ts';
import { compileCondition, type Condition } from '../core/condition.ts';
import { SkeinError, type ErrorPlace } from '../core/errors.ts';
import { compileTemplate } from '../core/interpolate.ts';
import type { HookSpec } from '../core/item.ts';

/** Events that run in this version; a project's hook for another one is refused, the shipped ones wait for theirs. */
const RUNNING_EVENTS: ReadonlySet<string> = new Set([
  'thread_started',
  'before_step',
  'after_step',
  'error',
  'limit',
  'after_complete',
]);

/** An action of a hook, compiled: its fields, and its `params` as a function of the event's context. */
export type HookAction = {
  readonly primary: string;
  readonly itemType: string;
  readonly itemId: string;
  /** Name of a function the embedder registered on the host. */
  readonly hostFunction: string | undefined;
  readonly params: (context: unknown) => unknown;
};

/** A hook ready to run. */
export type Hook = {
  readonly id: string;
  readonly event: HookEvent;
  readonly layer: 1 | 2 | 3;
  readonly matches: Condition;
  readonly actions: readonly HookAction[];
  readonly position: 'before' | 'after';
  readonly wrap: boolean;
  readonly timeoutMs: number;
};

/** The hooks of a directive by event, in the order they run. */
export type HookSet = ReadonlyMap<HookEvent, readonly Hook[]>;

/** Hook specs by where they were declared. */
export type HookSources = {
  readonly directive: readonly HookSpec[];
  readonly project: readonly HookSpec[];
  readonly user: readonly HookSpec[];
  readonly builtin: readonly HookSpec[];
  readonly infra: readonly HookSpec[];
};

/** Longest a hook's action may take when the hook does not say. */
const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * Compiles the hooks that apply to a directive, in the contracts' order: layer 1 the directive's own; layer 2 project,
 * user, built-in; layer 3 infrastructure. `layer` is honoured in config files only.
 */
export function compileHooks(sources: HookSources, directive: string): HookSet {
  const own = sources.directive.map((spec) => compileHook({ ...spec, layer: 1 }, { file: directive }, true));
  const config = [
    ...sources.project.map((spec) => compileHook(spec, { file: 'hooks.yaml' }, true)),
    ...sources.user.map((spec) => compileHook(spec, { file: 'hooks.yaml' }, true)),
    ...sources.builtin.map((spec) => compileHook(spec, { file: 'hook_conditions.yaml' }, false)),
    ...sources.infra.map((spec) => compileHook({ layer: 3, ...spec }, { file: 'hook_conditions.yaml' }, false)),
  ];
  const ordered = [...own, ...config].toSorted((a, b) => a.layer - b.layer);
  const byEvent = new Map<HookEvent, Hook[]>();
  for (const hook of ordered) byEvent.set(hook.event, [...(byEvent.get(hook.event) ?? []), hook]);
  return byEvent;
}

function compileHook(spec: HookSpec, place: ErrorPlace, mustRun: boolean): Hook {
  const where = { ...place, path: `hook ${spec.id}` };
  const event = HOOK_EVENTS.find((known) => known === spec.event);
  if (!event) throw new SkeinError('invalid_config', `There is no hook event "${spec.event}"`, { where });
  if (mustRun && !RUNNING_EVENTS.has(event)) {
    throw new SkeinError('not_available', `Hooks on "${event}" are not available in this version`, { where });
  }
  const actions = spec.actions ?? (spec.action ? [spec.action] : []);
  return {
    id: spec.id,
    event,
    layer: spec.layer ?? 2,
    matches: compileCondition(spec.condition, { ...where, path: `hook ${spec.id}, condition` }),
    actions: actions.map((action) => compileAction(action)),
    position: spec.position ?? 'before',
    wrap: spec.wrap ?? true,
    timeoutMs: spec.timeout_ms ?? DEFAULT_TIMEOUT_MS,
  };
}

function compileAction(action: Readonly<Record<string, unknown>>): HookAction {
  const { primary, item_type, item_id, params, function: hostFunction } = action;
  return {
    primary: typeof primary === 'string' ? primary : 'execute',
    itemType: typeof item_type === 'string' ? item_type : 'tool',
    itemId: typeof item_id === 'string' ? item_id : '',
    hostFunction: typeof hostFunction === 'string' ? hostFunction : undefined,
    params: compileTemplate(params ?? {}),
  };
}
