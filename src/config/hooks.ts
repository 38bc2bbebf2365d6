import * as z from 'zod';
import { eventsOf, extendsFault, HOOK_EVENTS, isRoute, positionFault } from '../core/hook-events.ts';
import { ITEM_KINDS, PRIMARY_ACTIONS, SPACE_NAMES, type HookSpec } from '../core/item.ts';
import { conditionField } from './condition-field.ts';
import type { Document } from './merge.ts';
import { parseSection, schemaVersion, section, strict } from './section.ts';

const params = z.record(z.string(), z.unknown()).exactOptional();

const setExtendsAction = strict({ set_extends: z.string().min(1) });
const functionAction = strict({ function: z.string().min(1), params });
const primaryAction = strict({
  primary: z.enum(PRIMARY_ACTIONS),
  item_type: z.enum(ITEM_KINDS).exactOptional(),
  item_id: z.string().min(1).exactOptional(),
  query: z.string().exactOptional(),
  source: z.enum(SPACE_NAMES).exactOptional(),
  limit: z.int().min(1).exactOptional(),
  dry_run: z.boolean().exactOptional(),
  params,
}).refine(({ primary, item_id }) => item_id !== undefined || primary === 'search' || primary === 'fetch', {
  error: 'this action needs an item_id',
  path: ['item_id'],
});

/** An action is read as the kind its keys say, so that messages are about that kind. */
const action = z.record(z.string(), z.unknown()).check(({ value, issues }) => {
  const schema = Object.hasOwn(value, 'set_extends')
    ? setExtendsAction
    : Object.hasOwn(value, 'function')
      ? functionAction
      : primaryAction;
  for (const { path, message } of schema.safeParse(value).error?.issues ?? []) {
    issues.push({ code: 'custom', path, message, input: value });
  }
});

const event = z.enum(HOOK_EVENTS);

const hook = strict({
  id: z.string().min(1),
  event: z.union([event, z.array(event).min(1)], {
    error: `an event is one of ${HOOK_EVENTS.map((name) => `"${name}"`).join(', ')}, or a list of them`,
  }),
  layer: z.union([z.literal(1), z.literal(2), z.literal(3)], 'layer is 1, 2 or 3').exactOptional(),
  condition: conditionField.exactOptional(),
  action: action.exactOptional(),
  actions: z.array(action).min(1).exactOptional(),
  position: z.enum(['before', 'after']).exactOptional(),
  wrap: z.boolean().exactOptional(),
  timeout_ms: z.int().min(1).exactOptional(),
  description: z.string().exactOptional(),
})
  .refine((spec) => (spec.action === undefined) !== (spec.actions === undefined), {
    error: 'a hook has either action or actions',
  })
  .check(({ value, issues }) => {
    const fault = extendsFault(value);
    if (fault !== undefined) issues.push({ code: 'custom', path: [], message: fault, input: value });
    const misplaced = value.position === undefined ? undefined : positionFault(eventsOf(value));
    if (misplaced !== undefined) issues.push({ code: 'custom', path: ['position'], message: misplaced, input: value });
  });

/** A list of hooks; those that name no layer are of this one. */
function hookList(layer: 2 | 3): z.ZodType<readonly HookSpec[]> {
  const layered = hook.transform((spec) => ({ layer, ...spec }));
  const mayDecide = layered.refine((spec) => spec.layer !== 3 || !eventsOf(spec).some(isRoute), {
    error: 'hooks of layer 3 decide nothing: one on resolve_extends is of layer 1 or 2',
    path: ['layer'],
  });
  return z.array(mayDecide);
}

/** Parses a project's or user's `hooks.yaml`; a hook without `layer` gets layer 2. */
export function parseHookFile(document: Document, file: string): readonly HookSpec[] {
  return parseSection(section({ schema_version: schemaVersion, hooks: hookList(2) }), document, file).hooks;
}

/** The hooks that ship with the system, and what users and projects changed in them. */
export type SystemHooks = { readonly builtin: readonly HookSpec[]; readonly infra: readonly HookSpec[] };

/** Parses `hook_conditions.yaml` (S2 §4.3); built-in hooks get layer 2, infrastructure hooks layer 3. */
export function parseHookConditions(document: Document, file: string): SystemHooks {
  const shape = { schema_version: schemaVersion, builtin_hooks: hookList(2), infra_hooks: hookList(3) };
  const { builtinHooks: builtin, infraHooks: infra } = parseSection(section(shape), document, file);
  return { builtin, infra };
}
