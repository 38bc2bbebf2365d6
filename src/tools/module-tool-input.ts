import type { StandardSchemaV1 } from '@standard-schema/spec';
import { z } from 'zod';
import { SkeinError, toFailure } from '../core/errors.ts';
import { refuseStandard } from '../core/input-issues.ts';
import { isRecord } from '../core/record.ts';
import { failed, ok, type Result } from '../core/result.ts';
import { compileInputCheck } from './input-check.ts';
import { ownCopy } from './own-copy.ts';
import { findReserved } from './reserved-keys.ts';

/** How a registered tool's input is described to the model and read on each call. */
export type InputReader = {
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  /** The input as the schema makes it (defaults, transforms); a promise only if the schema checks asynchronously. */
  read(input: unknown): Result<unknown> | Promise<Result<unknown>>;
};

/**
 * Makes the reader for a tool's `input` and `inputSchema`.
 *
 * @throws SkeinError `invalid_argument`, naming `place`, when neither says what the input looks like.
 */
export function inputReader(input: unknown, inputSchema: unknown, place: string): InputReader {
  if (isStandardSchema(input)) {
    return { jsonSchema: describeStandard(input, inputSchema, place), read: (value) => validate(input, value) };
  }
  if (!isRecord(input)) throw bad(place, '`input` must be a Standard Schema or a JSON Schema');
  try {
    return { jsonSchema: input, read: compileInputCheck(input) };
  } catch (cause) {
    throw bad(place, `\`input\`: ${toFailure(cause).message}`);
  }
}

function isStandardSchema(value: unknown): value is StandardSchemaV1 {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard: unknown = '~standard' in value ? value['~standard'] : undefined;
  return isRecord(standard) && typeof standard['validate'] === 'function';
}

function describeStandard(input: StandardSchemaV1, given: unknown, place: string): Readonly<Record<string, unknown>> {
  if (isRecord(given)) return given;
  if (given !== undefined) throw bad(place, '`inputSchema` must be a JSON Schema');
  if (!(input instanceof z.ZodType)) {
    throw bad(place, '`inputSchema` (JSON Schema) is needed, since only zod schemas can be described to the model');
  }
  try {
    return z.toJSONSchema(input, { io: 'input' });
  } catch (cause) {
    throw bad(place, `\`input\` cannot be described to the model (${toFailure(cause).message}); give \`inputSchema\``);
  }
}

function validate(schema: StandardSchemaV1, value: unknown): Result<unknown> | Promise<Result<unknown>> {
  const reserved = findReserved(value);
  if (reserved) return failed(reserved);
  // Schemas may let through what they were given, and tools may change what they get.
  const checked = schema['~standard'].validate(ownCopy(value));
  return checked instanceof Promise ? checked.then(toResult) : toResult(checked);
}

function toResult(checked: StandardSchemaV1.Result<unknown>): Result<unknown> {
  return checked.issues ? refuseStandard(checked.issues) : ok(checked.value);
}

function bad(place: string, message: string): SkeinError {
  return new SkeinError('invalid_argument', `tool module ${place}: ${message}`);
}
