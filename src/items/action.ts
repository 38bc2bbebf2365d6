import { type Action, PRIMARY_ACTIONS, type PrimaryAction } from '../core/item.ts';
import { quote, type Reading, warn } from './reading.ts';

/** An action as it stands in a text: names and values not yet told apart from what they may not set. */
export type WrittenAction = {
  readonly primary: PrimaryAction;
  readonly attributes: Iterable<readonly [string, string]>;
  readonly params: Iterable<readonly [string, string]>;
  readonly line: number;
};

/** Whether a tag name is that of an action. */
export function isPrimaryAction(name: string): name is PrimaryAction {
  return PRIMARY_ACTIONS.some((primary) => primary === name);
}

/**
 * Puts an action together (contracts, "Actions"): attributes to the top level, `<param>` children into `params`.
 * Attributes never replace `primary` or `params`; a repeated param keeps its last value.
 */
export function buildAction({ primary, attributes, params, line }: WrittenAction, reading: Reading): Action {
  const kept = new Map<string, string>();
  for (const [name, value] of attributes) {
    if (name === 'primary' || name === 'params' || name === '__proto__') {
      warn(reading, line, `the attribute ${quote(name)} of <${primary}> is ignored`);
    } else kept.set(name, value);
  }
  const named = new Map<string, string>();
  for (const [name, value] of params) {
    if (name === '' || name === '__proto__') warn(reading, line, `a <param> of <${primary}> without a usable name`);
    else if (named.has(name))
      warn(reading, line, `<${primary}> has the param ${quote(name)} twice; the last one counts`);
    if (name !== '' && name !== '__proto__') named.set(name, value);
  }
  const lacks = lackOf(primary, primary === 'execute' ? [kept] : [kept, named]);
  if (lacks !== undefined) warn(reading, line, `<${primary}> names ${lacks}`);
  return { ...Object.fromEntries(kept), primary, params: Object.fromEntries(named) };
}

/** What an action can't do without and is in none of the places where it would be looked for. */
function lackOf(primary: PrimaryAction, places: readonly ReadonlyMap<string, string>[]): string | undefined {
  const has = (name: string): boolean => places.some((place) => (place.get(name) ?? '') !== '');
  if (primary === 'search') {
    return places.some(({ size }) => size > 0) ? undefined : 'no query: it finds every item';
  }
  if (has('item_id') || (primary === 'fetch' && has('query'))) return undefined;
  return `${primary === 'fetch' ? 'neither item_id nor query' : 'no item_id'} and can't be carried out`;
}
