import type { Failure } from '../core/errors.ts';
import { isRecord } from '../core/record.ts';
import { failed, ok, type Result } from '../core/result.ts';
import type { Tool } from '../core/tool.ts';
import { coerceParams } from './coerce-params.ts';
import { compileInputCheck } from './input-check.ts';
import { findReserved } from './reserved-keys.ts';

type Params = Readonly<Record<string, unknown>>;
type Taker = Pick<Tool, 'inputSchema'>;

/** How params were written: in XML, which has nothing but texts, or in JSON, where a text may be meant as one. */
export type ParamsForm = 'xml' | 'json';

/**
 * The params of an action as a tool takes them: texts as what its schema declares (contracts, "`<param>` text"), which may
 * turn out to hold a reserved name. Of JSON a text that the schema takes as it is stays as it is.
 *
 * @throws SkeinError `invalid_item` for a schema that can't be used
 */
export function fitParams(tool: Taker, params: Params, form: ParamsForm = 'json'): Result<Params> {
  const coerced = coerceParams(tool.inputSchema, params);
  const fitted = (form === 'json' ? keptTexts(tool, params, coerced) : undefined) ?? coerced;
  const reserved = fitted.ok ? findReserved(fitted.value) : undefined;
  return reserved ? failed(reserved) : fitted;
}

/** The params with each text that the schema takes, among others; undefined if there is none, or it takes them in no such way. */
function keptTexts({ inputSchema }: Taker, params: Params, coerced: Result<Params>): Result<Params> | undefined {
  if (!coerced.ok) return undefined;
  const { value } = coerced;
  const isOther = (name: string): boolean => typeof params[name] === 'string' && value[name] !== params[name];
  if (!Object.keys(params).some(isOther)) return undefined;
  const kept = coerceParams(inputSchema, params, { keepTexts: true });
  if (!kept.ok) return undefined;
  const check = compileInputCheck(inputSchema);
  const fitting = new Map(Object.entries(kept.value));
  for (;;) {
    const now = Object.fromEntries(fitting);
    const checked = check(now);
    if (checked.ok) return ok(now);
    // A failure names but some of those that do not fit.
    const wrong = namesIn(checked.failure).filter((name) => isOther(name) && fitting.get(name) === params[name]);
    if (wrong.length === 0) return undefined;
    for (const name of wrong) fitting.set(name, value[name]);
  }
}

/** A text has no parts, so that its path is its name. */
function namesIn({ detail }: Failure): readonly string[] {
  const issues = detail?.['issues'];
  return Array.isArray(issues)
    ? issues.flatMap((issue: unknown) => (isRecord(issue) ? [String(issue['path'])] : []))
    : [];
}

/**
 * As {@link fitParams}, checked against the whole schema and with defaults: what the tool would get.
 *
 * @throws SkeinError `invalid_item` for a schema that can't be used
 */
export function checkParams(tool: Taker, params: Params): Result<Params> {
  const fitted = fitParams(tool, params);
  return fitted.ok ? compileInputCheck(tool.inputSchema)(fitted.value) : fitted;
}
