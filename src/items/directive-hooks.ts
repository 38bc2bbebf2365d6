import { extendsFault, HOOK_EVENTS, positionFault } from '../core/hook-events.ts';
import type { HookSpec } from '../core/item.ts';
import { ACTION_ATTRIBUTES } from './action-attributes.ts';
import { isPrimaryAction } from './action.ts';
import { readItemId } from './directive-head.ts';
import { readText, warnAround, warnText } from './directive-sections.ts';
import { readCondition } from './hook-condition.ts';
import { invalidItem, quote, type Reading, warn } from './reading.ts';
import { readBoolean, readNumber } from './value-types.ts';
import { readXmlAction, readXmlParams, refuseContext } from './xml-actions.ts';
import { elementsOf, type XmlElement } from './xml-tree.ts';

type HookAction = Readonly<Record<string, unknown>>;

const ATTRIBUTES = new Set(['id', 'event', 'layer', 'position', 'wrap', 'timeout_ms', 'description']);
const CHILDREN = new Set(['condition', 'action', 'actions', 'set_extends', 'description']);

/**
 * Reads `<hooks>`. One hook:
 *
 * ```xml
 * <hook id="retry_twice" event="error" position="before" wrap="true" timeout_ms="500">
 *   <description>…</description>
 *   <condition path="attempt" op="lt" value="2"/>
 *   <execute item_type="tool" item_id="rye/agent/threads/internal/control"><param name="action" value="retry"/></execute>
 * </hook>
 * ```
 *
 * An action is one of the primary actions' tags, `<action primary="…">` with the same contents (without `primary` for
 * a function of the host), or `<set_extends>id</set_extends>`; several, or an `<actions>` around them, become `actions`.
 * For `<condition>` see {@link readCondition}. `layer` is ignored: a directive's hooks are layer 1.
 *
 * @throws SkeinError `invalid_item` for a hook without event or action, an event that there is not, an action that is not for its
 * event, or with anything that is not known: a hook that is misread could always run, or do something else
 */
export function readHooks(elements: readonly XmlElement[], reading: Reading): readonly HookSpec[] {
  warnAround(elements, reading);
  const hooks = elements.flatMap(elementsOf).map((element, index) => readHook(element, index, reading));
  const seen = new Set<string>();
  for (const { id } of hooks) {
    if (seen.has(id)) throw invalidItem(reading, elements[0]?.line, `The hook id "${id}" is used twice`);
    seen.add(id);
  }
  return hooks;
}

function readHook(element: XmlElement, index: number, reading: Reading): HookSpec {
  if (element.name !== 'hook') throw unknown(element, 'hooks', reading);
  checkKnown(element, reading);
  const event = element.attributes.get('event')?.trim() ?? '';
  if (event === '') throw invalidItem(reading, element.line, '<hook> has no event');
  if (!HOOK_EVENTS.some((known) => known === event)) {
    throw invalidItem(
      reading,
      element.line,
      `There is no hook event ${quote(event)}; there are ${HOOK_EVENTS.join(', ')}`,
    );
  }
  const [condition, another] = elementsOf(element).filter((child) => child.name === 'condition');
  if (another !== undefined) throw invalidItem(reading, another.line, '<hook> has two conditions; put them into <all>');
  const actions = readActions(element, reading);
  const fault = extendsFault({ event, ...actions });
  if (fault !== undefined) throw invalidItem(reading, element.line, fault);
  return {
    id: readId(element, index, reading),
    event,
    ...(condition !== undefined && { condition: readCondition(condition, reading) }),
    ...actions,
    ...readOptions(element, reading),
  };
}

function checkKnown(element: XmlElement, reading: Reading): void {
  warnText(element, reading);
  for (const name of element.attributes.keys()) {
    if (ATTRIBUTES.has(name)) continue;
    throw invalidItem(reading, element.line, `<hook> does not take the attribute "${name}"`);
  }
  for (const child of elementsOf(element)) {
    if (!CHILDREN.has(child.name) && !isPrimaryAction(child.name)) throw unknown(child, 'hook', reading);
  }
  if (element.attributes.has('layer')) {
    warn(reading, element.line, 'the layer of a hook is honoured in config files only; it is 1 in a directive');
  }
}

function readId(element: XmlElement, index: number, reading: Reading): string {
  const id = element.attributes.get('id')?.trim() ?? '';
  if (id !== '') return id;
  warn(reading, element.line, `<hook> has no id; "hook_${index + 1}" is used`);
  return `hook_${index + 1}`;
}

function readActions(element: XmlElement, reading: Reading): Pick<HookSpec, 'action' | 'actions'> {
  const children = elementsOf(element);
  const list = children.some((child) => child.name === 'actions');
  const written = children.flatMap((child) => (child.name === 'actions' ? elementsOf(child) : [child]));
  const actions = written.map((child) => readHookAction(child, reading)).filter((action) => action !== undefined);
  const [first] = actions;
  if (first === undefined) throw invalidItem(reading, element.line, '<hook> has no action');
  return list || actions.length > 1 ? { actions } : { action: first };
}

function readHookAction(element: XmlElement, reading: Reading): HookAction | undefined {
  const { name, line } = element;
  if (name === 'condition' || name === 'description') return undefined;
  if (name === 'set_extends') return { set_extends: readItemId(readText(element, reading), reading, line) };
  const action = name === 'action' ? readGenericAction(element, reading) : readXmlAction(element, reading);
  if (action === undefined) throw unknown(element, 'actions', reading);
  refuseContents(element, reading);
  refuseUnknown(action, element, reading);
  return action;
}

/** What is misspelt, or an action in another, would be left out of what the hook does. */
function refuseContents(element: XmlElement, reading: Reading): void {
  const { name, attributes, line } = element;
  if (attributes.has('params')) throw invalidItem(reading, line, `<${name}> takes <param>, not "params"`);
  for (const child of elementsOf(element)) {
    if (child.name !== 'param') throw unknown(child, name, reading);
    if (['', '__proto__'].includes(child.attributes.get('name') ?? '')) {
      throw invalidItem(reading, child.line, `a <param> of <${name}> has no usable name`);
    }
  }
}

/** As in a file of hooks. */
function refuseUnknown(action: HookAction, { name, line }: XmlElement, reading: Reading): void {
  const { primary } = action;
  const callsFunction = name === 'action' && Object.hasOwn(action, 'function');
  if (callsFunction && primary !== undefined) {
    throw invalidItem(reading, line, '<action> of <hook> is of a primary action or of a function, not both');
  }
  const known: readonly string[] = callsFunction ? ['function'] : attributesOf(primary);
  const odd = Object.keys(action).find((said) => said !== 'params' && said !== 'primary' && !known.includes(said));
  if (odd === undefined) return;
  const message = `<${name}> of <hook> does not take the attribute ${quote(odd)}; it takes ${known.join(', ')}`;
  throw invalidItem(reading, line, message + (HINTS.get(odd) ?? ''));
}

const HINTS = new Map([
  ['function', '. <action function="…"> calls a function'],
  ['set_extends', '. <set_extends>ID</set_extends> stands in the hook in place of an action'],
]);

function attributesOf(primary: unknown = 'execute'): readonly string[] {
  return typeof primary === 'string' && isPrimaryAction(primary) ? ACTION_ATTRIBUTES[primary] : [];
}

function readGenericAction(element: XmlElement, reading: Reading): HookAction {
  const primary = element.attributes.get('primary');
  if (primary !== undefined && !isPrimaryAction(primary)) {
    throw invalidItem(reading, element.line, `<action primary=${quote(primary)}> names no primary action`);
  }
  warnText(element, reading);
  const params = readXmlParams(element, reading);
  refuseContext([...element.attributes, ...params], element.line, reading);
  return { ...Object.fromEntries(element.attributes), params: Object.fromEntries(params) };
}

function readOptions(element: XmlElement, reading: Reading): Partial<HookSpec> {
  const { attributes, line } = element;
  const position = attributes.get('position');
  if (position !== undefined && position !== 'before' && position !== 'after') {
    throw invalidItem(reading, line, `position=${quote(position)} is neither before nor after`);
  }
  const fault = position === undefined ? undefined : positionFault([attributes.get('event')?.trim() ?? '']);
  if (fault !== undefined) throw invalidItem(reading, line, fault);
  const wrap = readWith(attributes.get('wrap'), readBoolean);
  if (wrap === null) throw invalidItem(reading, line, 'wrap is neither true nor false');
  const timeout = readWith(attributes.get('timeout_ms'), readNumber);
  if (timeout === null || (timeout !== undefined && timeout <= 0)) {
    throw invalidItem(reading, line, 'timeout_ms is no number above 0');
  }
  const description = readDescription(element, reading);
  return {
    ...(position !== undefined && { position }),
    ...(wrap !== undefined && { wrap }),
    ...(timeout !== undefined && { timeout_ms: timeout }),
    ...(description !== '' && { description }),
  };
}

/** Undefined for what is absent, null for what can't be read. */
function readWith<Value>(
  text: string | undefined,
  read: (text: string) => Value | undefined,
): Value | null | undefined {
  return text === undefined ? undefined : (read(text) ?? null);
}

function readDescription(element: XmlElement, reading: Reading): string {
  const [child, ...others] = elementsOf(element).filter(({ name }) => name === 'description');
  for (const other of others) warn(reading, other.line, 'a second <description> of <hook> is ignored');
  const attribute = element.attributes.get('description')?.trim() ?? '';
  if (child === undefined) return attribute;
  if (attribute !== '')
    warn(reading, child.line, 'the attribute "description" of <hook> is ignored: its element counts');
  return readText(child, reading);
}

function unknown(element: XmlElement, parent: string, reading: Reading): Error {
  return invalidItem(reading, element.line, `<${element.name}> does not belong into <${parent}>`);
}
