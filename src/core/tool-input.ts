import type { StandardSchemaV1 } from '@standard-schema/spec';
import { z } from 'zod';
import { SkeinError } from './errors.ts';
import { jsonSchemaOf } from './json-schema.ts';
import { isRecord } from './record.ts';

/** What a registered tool says of its input. */
export type ToolInput = {
  /** What a model is told of it. */
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  /** What reads each input; undefined if the JSON Schema does. */
  readonly standard: StandardSchemaV1 | undefined;
};

/** What a tool is registered with: a Standard Schema or a JSON Schema, and a JSON Schema for models beside it. */
type Declared = { readonly input?: unknown; readonly inputSchema?: unknown };

/**
 * Reads how a tool that is registered declares its input, as a function on the host or by a module; `place` says in the
 * error which tool it is.
 *
 * @throws SkeinError `invalid_argument` when that does not say what the input looks like
 */
export function readToolInput({ input, inputSchema }: Declared, place: string): ToolInput {
  if (isStandardSchema(input)) {
    const jsonSchema = describe(input, inputSchema, place);
    const name = inputSchema === undefined ? 'input' : 'inputSchema';
    if (!takesObjects(jsonSchema)) throw refuse(place, `\`${name}\` must be a schema of an object`);
    return { jsonSchema, standard: input };
  }
  // A Standard Schema that can't check anything is no JSON Schema that lets all through.
  if (!isRecord(input) || Object.keys(input).includes('~standard'))
    throw refuse(place, '`input` must be a Standard Schema or a JSON Schema');
  if (!takesObjects(input)) throw refuse(place, '`input` must be a JSON Schema of an object');
  if (inputSchema !== undefined) throw refuse(place, '`inputSchema` is for an `input` that is no JSON Schema itself');
  return { jsonSchema: input, standard: undefined };
}

function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  // The JSON Schema that zod makes of a schema has that one hidden in it, and is meant as what it shows.
  if (Object.getPrototypeOf(value) === Object.prototype && !Object.keys(value).includes('~standard')) return false;
  const standard: unknown = '~standard' in value ? value['~standard'] : undefined;
  return isRecord(standard) && typeof standard['validate'] === 'function';
}

/** Whether an object may fit, as far as its type goes. */
function takesObjects({ type = 'object' }: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(type) ? type.includes('object') : type === 'object' || typeof type !== 'string';
}

function describe(input: StandardSchemaV1, given: unknown, place: string): ToolInput['jsonSchema'] {
  if (isRecord(given)) return given;
  if (given !== undefined) throw refuse(place, '`inputSchema` must be a JSON Schema');
  if (input instanceof z.core.$ZodType) return jsonSchemaOf(input, `the input of ${place}`);
  throw refuse(place, '`inputSchema` (JSON Schema) is needed, since only zod schemas can be described to the model');
}

function refuse(place: string, message: string): SkeinError {
  return new SkeinError('invalid_argument', `${place}: ${message}`);
}
