import type { StandardSchemaV1 } from '@standard-schema/spec';
import { SkeinError, messageOf } from '../core/errors.ts';
import { refuseStandard } from '../core/input-issues.ts';
import { failed, ok, type Result } from '../core/result.ts';
import type { ToolInput } from '../core/tool-input.ts';
import { compileInputCheck, type InputCheck } from './input-check.ts';
import { ownCopy } from './own-copy.ts';
import { findReserved } from './reserved-keys.ts';

/** The input as the schema makes it (defaults, transforms); a promise only if the schema checks asynchronously. */
type InputReader = (input: unknown) => Result<unknown> | Promise<Result<unknown>>;

/**
 * Makes what reads the input of a tool that runs here, at each call.
 *
 * @throws SkeinError `invalid_argument`, naming `place`, for a JSON Schema that can't be used
 */
export function inputReader({ standard, jsonSchema }: ToolInput, place: string): InputReader {
  return standard ? (value) => validate(standard, value) : compileDeclared(jsonSchema, place);
}

/**
 * Makes the check of a tool whose input is declared by a JSON Schema.
 *
 * @throws SkeinError as `inputReader`
 */
export function compileDeclared(jsonSchema: ToolInput['jsonSchema'], place: string): InputCheck {
  try {
    return compileInputCheck(jsonSchema);
  } catch (cause) {
    throw new SkeinError('invalid_argument', `${place}: \`input\`: ${messageOf(cause)}`, { cause });
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
