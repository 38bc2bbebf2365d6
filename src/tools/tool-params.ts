import { failed, type Result } from '../core/result.ts';
import type { Tool } from '../core/tool.ts';
import { coerceParams } from './coerce-params.ts';
import { compileInputCheck } from './input-check.ts';
import { findReserved } from './reserved-keys.ts';

type Params = Readonly<Record<string, unknown>>;

/**
 * The params of an action as a tool takes them: texts as what its schema declares (contracts, "`<param>` text"), which may
 * turn out to hold a reserved name.
 */
export function fitParams({ inputSchema }: Pick<Tool, 'inputSchema'>, params: Params): Result<Params> {
  const coerced = coerceParams(inputSchema, params);
  const reserved = coerced.ok ? findReserved(coerced.value) : undefined;
  return reserved ? failed(reserved) : coerced;
}

/**
 * As {@link fitParams}, checked against the whole schema and with defaults: what the tool would get.
 *
 * @throws SkeinError `invalid_item` for a schema that can't be used
 */
export function checkParams(tool: Pick<Tool, 'inputSchema'>, params: Params): Result<Params> {
  const fitted = fitParams(tool, params);
  return fitted.ok ? compileInputCheck(tool.inputSchema)(fitted.value) : fitted;
}
