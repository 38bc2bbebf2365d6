import type { DeclaredOutput } from '../../core/item.ts';
import type { ThreadSpec } from '../../core/protocol.ts';
import { isRecord, own } from '../../core/record.ts';

/** The schema that a caller gave for a thread's outputs. */
export type OutputSchema = NonNullable<ThreadSpec['outputSchema']>;

type Property = Readonly<Record<string, unknown>>;

/** What a caller's schema says about each name. */
export function askedProperties({ properties }: OutputSchema): Property {
  return isRecord(properties) ? properties : {};
}

/** Why no value can be both the declared output and what a caller's schema asks for; undefined if one can. */
export function conflictOf({ name, type }: DeclaredOutput, schema: OutputSchema): string | undefined {
  const asked = askedFor(name, schema);
  const shown = JSON.stringify(name);
  if (asked === false) return `${shown} is none of its names, and the directive returns it`;
  const types = isRecord(asked) ? asked['type'] : undefined;
  if (types === undefined || commonType(type, types) !== undefined) return undefined;
  return `${shown} is ${JSON.stringify(types)} in it, and ${JSON.stringify(type)} in the directive`;
}

/** The property of a declared output as a caller's schema has it: what that does not say, the declaration does. */
export function mergeProperty(declared: Property, asked: unknown): Property {
  if (!isRecord(asked)) return declared;
  const { type, description } = declared;
  const common = asked['type'] === undefined ? type : commonType(type, asked['type']);
  const isTyped = common !== undefined && (asked['type'] !== undefined || !SAYS_A_TYPE.some((word) => word in asked));
  return {
    ...asked,
    ...((asked['description'] ?? '') === '' && description !== undefined && { description }),
    ...(isTyped && { type: common }),
  };
}

/** Not every provider takes a type beside these. */
const SAYS_A_TYPE = ['$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const'];

/** A schema, or whether any value is accepted by this name; what patterns say of names is not looked into. */
function askedFor(name: string, schema: OutputSchema): unknown {
  const { additionalProperties = true, patternProperties } = schema;
  return own(askedProperties(schema), name) ?? (patternProperties !== undefined || additionalProperties);
}

/** The type of the values that are of both; `any` and undefined are of every type. */
function commonType(declared: unknown, asked: unknown): unknown {
  if (declared === 'any' || declared === undefined) return asked;
  const types: readonly unknown[] = [asked].flat();
  if (types.some((type) => type === declared)) return declared;
  return isNumeric(declared) && types.some(isNumeric) ? 'integer' : undefined;
}

function isNumeric(type: unknown): boolean {
  return type === 'integer' || type === 'number';
}
