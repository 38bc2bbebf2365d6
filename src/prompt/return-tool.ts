import type { ToolDefinition } from '../core/conversation.ts';
import { cutText } from '../core/cut-text.ts';
import type { DeclaredOutput, ValueType } from '../core/item.ts';
import { JSON_TYPES } from '../core/json-type.ts';
import { isRecord } from '../core/record.ts';
import { failed, ok, type Result } from '../core/result.ts';

/** Name under which `rye/agent/threads/directive_return` is offered to a model. */
export const DIRECTIVE_RETURN_NAME = 'rye_agent_threads_directive_return';

/** What a return tool says of itself if there is something to be returned. */
export const DELIVERS_RESULTS =
  'Delivers the results of the directive and ends it. Call it once, when all steps are done.';

/** The tool with which a model delivers a directive's outputs: one property for each, undeclared ones allowed. */
export function returnToolDefinition(outputs: readonly DeclaredOutput[]): ToolDefinition {
  const required = outputs.filter((output) => output.required).map(({ name }) => name);
  return {
    name: DIRECTIVE_RETURN_NAME,
    description: outputs.length === 0 ? 'Ends the directive when all its steps are done.' : DELIVERS_RESULTS,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(outputs.map((output) => [output.name, outputSchema(output)])),
      ...(required.length > 0 && { required }),
    },
  };
}

/** A field of what a thread returns, as its prompt names it. */
export type ReturnField = Pick<DeclaredOutput, 'name' | 'description'> & {
  /** Whether nothing is put into its description. Default: no. */
  readonly isLiteral?: boolean;
};

/**
 * Checks what a model delivered against the declared outputs. Values are not converted: text that spells a number is
 * not a number. Null counts as missing, except where any type is accepted; extras are kept.
 *
 * @returns the outputs, or one `invalid_output` failure that lists everything wrong, with `detail.missing` and
 * `detail.wrong` (names)
 */
export function checkOutputs(outputs: readonly DeclaredOutput[], given: unknown): Result<Record<string, unknown>> {
  if (!isRecord(given)) return failed({ code: 'invalid_output', message: notAnObject(given) });
  const values = new Map<string, unknown>(Object.entries(given));
  for (const { name, type } of outputs) if (isMissing(values.get(name), type)) values.delete(name);
  const missing = outputs.filter(({ name, required }) => required && !values.has(name));
  const wrong = outputs.filter(({ name, type }) => values.has(name) && !CHECKS[type](values.get(name)));
  if (missing.length === 0 && wrong.length === 0) return ok(Object.fromEntries(values));
  return failed({
    code: 'invalid_output',
    message: [...missing.map(describeMissing), ...wrong.map((o) => describeWrong(o, values.get(o.name)))].join('; '),
    detail: { missing: missing.map(({ name }) => name), wrong: wrong.map(({ name }) => name) },
  });
}

function outputSchema({ type, description }: DeclaredOutput): Readonly<Record<string, unknown>> {
  return { ...(type !== 'any' && { type }), ...(description !== '' && { description }) };
}

const CHECKS: Readonly<Record<ValueType, (value: unknown) => boolean>> = { ...JSON_TYPES, any: () => true };

const EXPECTED: Readonly<Record<ValueType, string>> = {
  any: 'any value',
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

function isMissing(value: unknown, type: ValueType): boolean {
  return value === undefined || (value === null && type !== 'any');
}

function describeMissing({ name, type }: DeclaredOutput): string {
  return `"${name}" is missing; ${EXPECTED[type]} is expected`;
}

function describeWrong({ name, type }: DeclaredOutput, value: unknown): string {
  return `"${name}" is ${kindOf(value)} ${excerpt(value)}; ${EXPECTED[type]} is expected`;
}

function notAnObject(given: unknown): string {
  return `The outputs are ${kindOf(given)}; an object with one property for each output is expected`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

function excerpt(value: unknown): string {
  return cutText(JSON.stringify(value) ?? String(value), 60);
}
