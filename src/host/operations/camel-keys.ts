import { camelCase, type CamelCase } from '../../core/camel-case.ts';

/** Under these names stands what is named elsewhere: a directive's outputs, events of the log, states of a machine. */
const FOREIGN = ['outputs', 'result', 'events', 'granted', 'states'] as const;
type Foreign = (typeof FOREIGN)[number];

/** A result of the wire as TypeScript names it; `outputs`, `result`, `events`, `granted` and `states` stay as they are. */
export type Camel<Value> = Value extends readonly (infer Each)[]
  ? readonly Camel<Each>[]
  : Value extends object
    ? { readonly [Key in keyof Value as CamelCase<Key>]: Key extends Foreign ? Value[Key] : Camel<Value[Key]> }
    : Value;

/** Renames the keys of a result of the wire. */
export function camelKeys<Value>(value: Value): Camel<Value> {
  // The type above says of the type what this does with the value.
  return camel(value) as Camel<Value>;
}

function camel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camel);
  if (typeof value !== 'object' || value === null) return value;
  const pairs = Object.entries(value).map(([key, each]) => [camelCase(key), isForeign(key) ? each : camel(each)]);
  return Object.fromEntries(pairs);
}

function isForeign(key: string): boolean {
  const names: readonly string[] = FOREIGN;
  return names.includes(key);
}
