import { eventsOf } from '../core/hook-events.ts';
import type { Action, DeclaredInput, DeclaredOutput, Directive, HookSpec } from '../core/item.ts';
import { asText } from '../core/path.ts';
import type { Fact } from './item-facts.ts';

/** What a directive says beyond what every item has. */
export function directiveFacts(directive: Directive): readonly Fact[] {
  const { limits, permissions, context, hooks, inputs, outputs, actions } = directive;
  return [
    ['extends', ...(directive.extends === undefined ? [] : [directive.extends])],
    ['model', ...pairs(directive.model)],
    ['limits', pairs(limits).join(', ') || 'none of its own'],
    ['permissions', ...describePermissions(permissions)],
    ['inputs', ...inputs.map(describeValue)],
    ['outputs', ...outputs.map(describeValue)],
    ['context', ...describeContext(context)],
    ['hooks', ...hooks.map(describeHook)],
    ['actions', ...actions.map(describeAction)],
  ];
}

function pairs(map: object): string[] {
  return Object.entries(map).map(([name, value]) => `${name} ${asText(value)}`);
}

function describeContext({ assembly, ...places }: Directive['context']): readonly string[] {
  const items = Object.entries(places).flatMap(([place, ids]) => ids.map((id) => `${place}: ${id}`));
  return assembly === undefined ? items : [`assembly: ${assembly}`, ...items];
}

function describePermissions(permissions: Directive['permissions']): readonly string[] {
  if (permissions === undefined) return ['none declared: what its base or its parent thread may do, else nothing'];
  return permissions.length === 0 ? ['none: it may do nothing'] : permissions;
}

function describeValue({ name, type, required, description, ...more }: DeclaredInput | DeclaredOutput): string {
  const fallback = 'default' in more ? `, default ${JSON.stringify(more.default)}` : '';
  const need = required ? 'required' : 'optional';
  return `${name} (${type}, ${need}${fallback})${description === '' ? '' : `: ${description}`}`;
}

function describeHook({ id, event, condition, action, actions, ...options }: HookSpec): string {
  const when = condition === undefined ? '' : ` if ${asText(condition)}`;
  const done = [...(action ? [action] : []), ...(actions ?? [])].map(describeAction);
  const settings = pairs(options).map((setting) => `, ${setting}`);
  return `${id}: on ${eventsOf({ event }).join(', ')}${when}: ${done.join('; ')}${settings.join('')}`;
}

function describeAction(action: Action | Readonly<Record<string, unknown>>): string {
  const { primary, item_type: kind, item_id: id, params, ...more } = action;
  const words = [primary, kind, id].filter((word) => word !== undefined).map(asText);
  const isEmpty = typeof params !== 'object' || params === null || Object.keys(params).length === 0;
  return [...words, ...pairs(more), ...(isEmpty ? [] : [`with ${asText(params)}`])].join(' ');
}
