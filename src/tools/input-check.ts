import { isRecord } from '../core/record.ts';
import { failed, ok } from '../core/result.ts';
import type { Result } from '../core/result.ts';
import { compileSchema } from './json-schema/compile-schema.ts';
import type { SchemaIssue } from './json-schema/schema-check.ts';
import { compileDefaults } from './json-schema/fill-defaults.ts';
import { asSchema } from './json-schema/schema-walk.ts';
import { ownCopy } from './own-copy.ts';
import { findReserved } from './reserved-keys.ts';

/**
 * A tool's input, checked and with defaults filled in; or `tool_input_invalid` saying what does not fit, or
 * `permission_denied` for a name that neither a caller nor the schema may give.
 */
export type InputCheck = (input: unknown) => Result<Readonly<Record<string, unknown>>>;

/** An input nested deeper than this is refused before anything recursive touches it. */
const MAX_DEPTH = 64;
const MAX_ISSUES_SHOWN = 8;

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
    if (!isRecord(input)) return refuse([{ path: '', message: 'must be an object' }]);
    if (nestsDeeper(input, MAX_DEPTH)) return refuse([{ path: '', message: `is nested deeper than ${MAX_DEPTH}` }]);
    const filled = fill ? fill(input) : input;
    const reserved = findReserved(filled);
    if (reserved) return failed(reserved);
    const issues = check(filled);
    if (issues.length > 0) return refuse(issues);
    // A copy in any case: a tool may change what it gets, and its caller must not notice.
    const copy = ownCopy(filled);
    return isRecord(copy) ? ok(copy) : refuse(issues);
  };
}

/** The failure for an input that does not fit. */
export function refuse(issues: readonly SchemaIssue[]): Result<never> {
  const lines = issues.slice(0, MAX_ISSUES_SHOWN).map(({ path, message }) => `${path || 'the input'} ${message}`);
  const more = issues.length > MAX_ISSUES_SHOWN ? `; and ${issues.length - MAX_ISSUES_SHOWN} more` : '';
  return failed({
    code: 'tool_input_invalid',
    message: `the input does not fit the tool's schema: ${lines.join('; ')}${more}`,
    detail: { issues: issues.slice(0, MAX_ISSUES_SHOWN) },
  });
}

/** Whether a value nests deeper than so many levels; looks no further than that. */
export function nestsDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  for (const inner of Object.values(value)) if (nestsDeeper(inner, depth - 1)) return true;
  return false;
}
