import { JSON_TYPES } from '../json-type.ts';
import { isRecord, own } from '../record.ts';
import type { JsonSchema } from './schema-walk.ts';

/** Says that a value fits; `false` is no verdict, but a reason to look closely. */
export type PlainCheck = (value: unknown) => boolean;

/** What a plain schema may say; `description` and the like constrain nothing. */
const PLAIN: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'minLength',
  'title',
  'description',
  'default',
  'examples',
  '$comment',
]);

/** Deeper ones are no plain schemas. */
const MAX_DEPTH = 8;

/** Of longer lists there is no verdict: the full check counts its steps. */
const MAX_ITEMS = 100;

/**
 * The short way to "fits", which nearly every value does: no paths, no counting, nothing allocated per field. Undefined for
 * a schema that says more than types, fields and words; a field may have one that does. Whatever it does not let pass is for `compileSchema`'s full
 * check to judge, which alone says what is wrong.
 */
export function compilePlainCheck(schema: JsonSchema, depth = 0): PlainCheck | undefined {
  if (typeof schema === 'boolean') return schema ? () => true : undefined;
  if (depth > MAX_DEPTH || !Object.keys(schema).every((word) => PLAIN.has(word))) return undefined;
  const { type, enum: words, properties, required, additionalProperties = true, items, minLength } = schema;
  const checks: PlainCheck[] = [];
  if (type !== undefined) {
    const check = typeof type === 'string' ? own(JSON_TYPES, type) : undefined;
    if (!check) return undefined;
    checks.push(check);
  }
  if (words !== undefined) {
    if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) return undefined;
    const allowed = new Set<unknown>(words);
    checks.push((value) => allowed.has(value));
  }
  if (minLength !== undefined) {
    // "Not empty" is nearly all that is asked for; more than that is a matter of counting.
    if (minLength !== 0 && minLength !== 1) return undefined;
    checks.push((value) => typeof value !== 'string' || value.length >= minLength);
  }
  if (typeof additionalProperties !== 'boolean') return undefined;
  if (properties !== undefined || required !== undefined || !additionalProperties) {
    const check = compileFields({ properties, required, isOpen: additionalProperties }, depth);
    if (!check) return undefined;
    checks.push(check);
  }
  if (items !== undefined) {
    const check = depth < MAX_DEPTH ? compileItems(items) : undefined;
    if (!check) return undefined;
    checks.push(check);
  }
  return allOf(checks);
}

/** Lists of what has no fields and items of its own: as if they stood as deep as a schema may. */
function compileItems(items: unknown): PlainCheck | undefined {
  const check = typeof items === 'boolean' || isRecord(items) ? compilePlainCheck(items, MAX_DEPTH) : undefined;
  if (!check) return undefined;
  return (value) => {
    if (!Array.isArray(value)) return true;
    if (value.length > MAX_ITEMS) return false;
    for (const item of value) if (!check(item)) return false;
    return true;
  };
}

function allOf(checks: readonly PlainCheck[]): PlainCheck {
  const [first = () => true, second, ...rest] = checks;
  if (!second) return first;
  return allOf([(value) => first(value) && second(value), ...rest]);
}

function noVerdict(): boolean {
  return false;
}

/** The words about fields; `isOpen`: there may be others than those declared. */
type Fields = { readonly properties?: unknown; readonly required?: unknown; readonly isOpen: boolean };

type Field = { readonly check: PlainCheck | undefined; readonly isRequired: boolean };

/** Goes by the value's own fields, which are fewer than those declared. */
function compileFields({ properties = {}, required = [], isOpen }: Fields, depth: number): PlainCheck | undefined {
  if (!isRecord(properties) || !Array.isArray(required)) return undefined;
  const wanted = new Set<unknown>(required);
  const fields = new Map<string, Field>();
  for (const name of wanted) if (typeof name === 'string') fields.set(name, { check: undefined, isRequired: true });
  for (const [name, schema] of Object.entries(properties)) {
    if (typeof schema !== 'boolean' && !isRecord(schema)) return undefined;
    // Most values do not have the fields whose schema says more.
    const check = compilePlainCheck(schema, depth + 1) ?? noVerdict;
    fields.set(name, { check, isRequired: wanted.has(name) });
  }
  return (value) => {
    // What constrains objects says nothing of other values.
    if (!isRecord(value)) return true;
    let missing = wanted.size;
    for (const name of Object.keys(value)) {
      const field = fields.get(name);
      if (!isOpen && !field?.check) return false;
      if (!field) continue;
      if (field.check && !field.check(value[name])) return false;
      if (field.isRequired) missing--;
    }
    return missing === 0;
  };
}
