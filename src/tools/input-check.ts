import { nestsDeeper } from '../core/nests-deeper.ts';
import { isRecord } from '../core/record.ts';
import { refuseInput } from '../core/input-issues.ts';
import { failed, ok, type Result } from '../core/result.ts';
import { compileSchema } from '../core/json-schema/compile-schema.ts';
import { compileDefaults } from '../core/json-schema/fill-defaults.ts';
import { asSchema } from '../core/json-schema/schema-walk.ts';
import { ownCopy } from './own-copy.ts';
import { findReserved } from './reserved-keys.ts';

/**
 * A tool's input, checked and with defaults filled in; or `tool_input_invalid` saying what does not fit, or
 * `permission_denied` for a name that neither a caller nor the schema may give.
 */
export type InputCheck = (input: unknown) => Result<Readonly<Record<string, unknown>>>;

/** An input nested deeper than this is refused before anything recursive touches it. */
const MAX_DEPTH = 64;

/**
 * Compiles the check for a tool's input. The input must be an object whatever the schema says. Missing properties get
 * their `default`. A failure's `detail.issues` lists `{path, message}`.
 *
 * @throws SkeinError `invalid_item` when the schema itself cannot be used; `where.path` points into it.
 */
export function compileInputCheck(schema: unknown): InputCheck {
  const root = asSchema(schema, '#');
  const check = compileSchema(root);
  const fill = compileDefaults(root);
  return (input) => {
    if (!isRecord(input)) return refuseInput([{ path: '', message: 'must be an object' }]);
    if (nestsDeeper(input, MAX_DEPTH))
      return refuseInput([{ path: '', message: `is nested deeper than ${MAX_DEPTH}` }]);
    const filled = fill ? fill(input) : input;
    const reserved = findReserved(filled);
    if (reserved) return failed(reserved);
    const issues = check(filled);
    if (issues.length > 0) return refuseInput(issues);
    // A copy in any case: a tool may change what it gets, and its caller must not notice.
    const copy = ownCopy(filled);
    return isRecord(copy) ? ok(copy) : refuseInput(issues);
  };
}
