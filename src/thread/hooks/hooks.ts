import { compileCondition, type Condition } from '../../core/condition.ts';
import { SkeinError, type ErrorPlace } from '../../core/errors.ts';
import { eventsOf, HOOK_EVENTS, type HookEvent } from '../../core/hook-events.ts';
import type { HookSpec } from '../../core/item.ts';
import { isRecord } from '../../core/record.ts';
import { isInternalTool } from '../../tools/internal-tool.ts';
import { ignoredIn } from '../../tools/primary-request.ts';
import { compileNote, EMITTER, type HookNote } from './hook-note.ts';
import { compileParams } from './hook-params.ts';

type Params = Readonly<Record<string, unknown>>;

/** An action of a hook, compiled: its fields, and its `params` as a function of the event's context. */
export type HookAction = {
  /** The action as it is written, without its params. */
  readonly attributes: Params;
  readonly itemId: string;
  /** Name of a function the embedder registered on the host. */
  readonly hostFunction: string | undefined;
  /** It is nothing but a call of an internal tool, or of a knowledge item to be loaded. */
  readonly short: 'internal' | 'knowledge' | undefined;
  readonly params: (context: unknown) => Params;
  /** What is ignored in it, as a sentence each. */
  readonly ignored: readonly string[];
  /** All it does is to write this event. */
  readonly note: HookNote | undefined;
};

/** A hook ready to run. */
export type Hook = {
  /** Alone among the hooks of its source. */
  readonly id: string;
  readonly source: keyof HookSources;
  readonly event: HookEvent;
  readonly layer: 1 | 2 | 3;
  /** What its actions may do: what the thread may, or everything (contracts: the rights of the file that declares it). */
  readonly rights: 'thread' | 'all';
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
  const own = { source: 'directive', rights: 'thread', file: directive } as const;
  const added = { rights: 'all', file: 'hooks.yaml' } as const;
  const shipped = { rights: 'all', file: 'hook_conditions.yaml' } as const;
  const all = [
    ...sources.directive.flatMap((spec) => compileHook({ ...spec, layer: 1 }, own)),
    ...sources.project.flatMap((spec) => compileHook(spec, { source: 'project', ...added })),
    ...sources.user.flatMap((spec) => compileHook(spec, { source: 'user', ...added })),
    ...sources.builtin.flatMap((spec) => compileHook(spec, { source: 'builtin', ...shipped })),
    ...sources.infra.flatMap((spec) => compileHook({ layer: 3, ...spec }, { source: 'infra', ...shipped })),
  ];
  const ordered = all.toSorted((a, b) => a.layer - b.layer);
  const byEvent = new Map<HookEvent, Hook[]>();
  for (const hook of ordered) byEvent.set(hook.event, [...(byEvent.get(hook.event) ?? []), hook]);
  return byEvent;
}

type Origin = Pick<Hook, 'source' | 'rights'> & { readonly file: string };

/** One hook for each of its events. */
function compileHook(spec: HookSpec, { source, rights, file }: Origin): Hook[] {
  const where: ErrorPlace = { file, path: `hook ${spec.id}` };
  const actions = spec.actions ?? (spec.action ? [spec.action] : []);
  const shared = {
    id: spec.id,
    source,
    layer: spec.layer ?? 2,
    rights,
    matches: compileCondition(spec.condition, { ...where, path: `hook ${spec.id}, condition` }),
    actions: actions.map((action) => compileAction(action)),
    position: spec.position ?? 'before',
    timeoutMs: spec.timeout_ms ?? DEFAULT_TIMEOUT_MS,
  };
  return [...new Set(eventsOf(spec))].map((name) => {
    const event = readEvent(name, where);
    return { ...shared, event, wrap: spec.wrap ?? event !== 'build_system_prompt' };
  });
}

function readEvent(name: string, where: ErrorPlace): HookEvent {
  const event = HOOK_EVENTS.find((known) => known === name);
  if (event) return event;
  throw new SkeinError('invalid_config', `There is no hook event "${name}"`, { where });
}

function compileAction(action: Params): HookAction {
  const { params: written, ...attributes } = action;
  const params = isRecord(written) ? written : {};
  const { item_id, function: hostFunction } = attributes;
  const short = shortForm(attributes, params);
  return {
    attributes,
    itemId: typeof item_id === 'string' ? item_id : '',
    hostFunction: typeof hostFunction === 'string' ? hostFunction : undefined,
    short,
    note: short === 'internal' && item_id === EMITTER ? compileNote(params) : undefined,
    params: compileParams(params),
    ignored: hostFunction === undefined ? ignoredIn(action) : [],
  };
}

/** What needs no dispatcher: every step of a thread may run such an action. */
function shortForm(attributes: Params, params: Params): HookAction['short'] {
  const { primary = 'execute', item_type: kind = 'tool', item_id: id, ...others } = attributes;
  if (typeof id !== 'string' || Object.keys(others).length > 0) return undefined;
  if (primary === 'execute' && kind === 'tool' && isInternalTool(id)) return 'internal';
  const loads = (primary === 'load' || primary === 'fetch') && kind === 'knowledge';
  return loads && Object.keys(params).length === 0 ? 'knowledge' : undefined;
}
