import { expect } from 'vitest';
import type { SkeinError } from '../../src/core/errors.ts';
import type { Expectation } from './expectation.ts';
import type { Parsed } from './parse.ts';

/** What came of a case: an item, or the error that refused it. */
export type Outcome = { readonly parsed: Parsed } | { readonly error: SkeinError };

/** Fields whose surrounding white space nobody has settled. */
const LOOSE_ENDS: ReadonlySet<string> = new Set(['preamble', 'body', 'content']);
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

const PLAIN: ReadonlySet<unknown> = new Set([Object.prototype, Array.prototype, null]);

/** Compares an outcome with what must come of it. */
export function checkOutcome(outcome: Outcome, expected: Expectation): void {
  if ('error' in outcome) checkRefusal(outcome.error, expected);
  else checkItem(outcome.parsed, expected);
}

/** What holds for every file, hostile or not: nothing leaks to a terminal, into prototypes or into internal tools. */
export function checkSafety(outcome: Outcome): void {
  const messages = 'error' in outcome ? [outcome.error.message] : outcome.parsed.warnings;
  expect(messages.filter((message) => CONTROL.test(message))).toEqual([]);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  expect(Object.keys(Object.prototype)).toEqual([]);
  if ('error' in outcome) return;
  const objects = allObjects(outcome.parsed);
  expect(objects.filter((value) => !PLAIN.has(Object.getPrototypeOf(value)))).toEqual([]);
  expect(objects.filter((value) => Object.hasOwn(value, '_thread_context'))).toEqual([]);
}

function checkRefusal(error: SkeinError, { refused }: Expectation): void {
  if (refused === undefined) throw error;
  expect(refused.code).toContain(error.code);
  for (const text of refused.says ?? []) expect(error.message).toContain(text);
  if (error.code === 'invalid_item') expect(error.where?.file).toBeTypeOf('string');
  if (refused.line) expect(refused.line).toContain(error.where?.line);
}

function checkItem({ item, fields, warnings }: Parsed, expected: Expectation): void {
  if (expected.refused && !expected.either) expect.fail(`was parsed: ${JSON.stringify(item).slice(0, 500)}`);
  const names = Object.keys(expected.expect ?? {});
  expect(pick(item, names)).toEqual(withoutNull(expected.expect ?? {}));
  expect(item).toMatchObject(expected.has ?? {});
  expect(fields).toMatchObject(expected.fields ?? {});
  for (const name of expected.field_names ?? []) expect(fields).toHaveProperty(name);
  for (const name of expected.texts ?? []) expect([name, typeof item[name]]).toEqual([name, 'string']);
  for (const [name, lines] of Object.entries(expected.lines ?? {})) expect(linesOf(item[name])).toEqual(lines);
  checkWarnings(warnings, expected);
}

/** Each expected text stands for one warning; a warning serves one text. */
function checkWarnings(warnings: readonly string[], { warnings: texts = [], more_warnings }: Expectation): void {
  const left = [...warnings];
  for (const text of texts) {
    const at = left.findIndex((warning) => warning.includes(text));
    if (at === -1) expect.fail(`no warning about "${text}" among ${JSON.stringify(warnings)}`);
    left.splice(at, 1);
  }
  if (!more_warnings) expect(left).toEqual([]);
}

function pick(item: Parsed['item'], names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, loosen(name, item[name])]));
}

function withoutNull(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, loosen(name, value ?? undefined)]));
}

function loosen(name: string, value: unknown): unknown {
  return typeof value === 'string' && LOOSE_ENDS.has(name) ? value.trim() : value;
}

function linesOf(text: unknown): string[] {
  return String(text)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Every object and list inside a value; own properties only, `__proto__` among them. */
function allObjects(root: object): object[] {
  const found = [root];
  for (const value of found) {
    for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) found.push(inner);
  }
  return found;
}
