import { failed, type Result } from '../core/result.ts';
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

/** The params with texts wherever the schema takes texts, among others; undefined if it does not take them so. */
function keptTexts({ inputSchema }: Taker, params: Params, coerced: Result<Params>): Result<Params> | undefined {
  if (!coerced.ok) return undefined;
  const { value } = coerced;
  const hasOther = Object.keys(params).some((name) => typeof params[name] === 'string' && value[name] !== params[name]);
  if (!hasOther) return undefined;
  const kept = coerceParams(inputSchema, params, { keepTexts: true });
  return kept.ok && compileInputCheck(inputSchema)(kept.value).ok ? kept : undefined;
}

/**
 * As {@link fitParams}, checked against the whole schema and with defaults: what the tool would get.
 *
 * @throws SkeinError `invalid_item` for a schema that can't be used
 */
export function checkParams(tool: Taker, params: Params, form: ParamsForm = 'json'): Result<Params> {
  const fitted = fitParams(tool, params, form);
  return fitted.ok ? compileInputCheck(tool.inputSchema)(fitted.value) : fitted;
}
