import type { ErrorPlace, SkeinErrorCode } from '../../core/errors.ts';
import type { LeftOutTool } from '../../items/item-cache.ts';
import type { ModelBinding } from '../../providers/provider-registry.ts';
import type { ThreadPlan } from './plan.ts';
import type { Services } from '../services/services.ts';
import type { Thread } from '../thread.ts';

/** A `warning` event's payload. */
export type ThreadWarning = { readonly code: SkeinErrorCode; readonly message: string; readonly where?: string };

/** Tools that are left out and named one by one: a project may have very many broken files, and each thread says so. */
const MAX_NAMED = 5;

/** What somebody should know who reads the log of a thread that starts: told once, whatever happens to it later. */
export function startWarnings(
  { plan, spec: { shared } }: Thread,
  { mcp }: Pick<Services, 'mcp'>,
): readonly ThreadWarning[] {
  const troubles = mcp.troubles(shared.capabilities);
  if (shared.warnings.length === 0 && troubles.length === 0) return plan.warnings;
  const where = plan.directive.id;
  return [
    ...shared.warnings.map((message) => ({ code: 'invalid_item', message, where }) as const),
    ...plan.warnings,
    ...troubles.map((message) => ({ code: 'not_available', message }) as const),
  ];
}

/** Those that all threads of a plan have. */
export function planWarnings({ trustRemarks, leftOut, palette, model }: PlanFacts): readonly ThreadWarning[] {
  return [
    ...trustRemarks.map(({ id, message }) => ({ code: 'item_unsigned', message, where: id }) as const),
    ...leftOutWarnings(leftOut, palette),
    ...priceWarning(model),
  ];
}

type PlanFacts = Pick<ThreadPlan, 'trustRemarks' | 'palette' | 'model'> & {
  /** Tools that a thread would have if they could be used. */
  readonly leftOut: readonly LeftOutTool[];
};

function leftOutWarnings(leftOut: readonly LeftOutTool[], palette: ThreadPlan['palette']): readonly ThreadWarning[] {
  const named = leftOut.slice(0, MAX_NAMED).map(({ id, failure: { code, message, where } }): ThreadWarning => {
    return { code, message: `The tool ${id} is left out: ${message}`, where: placeOf(where) ?? id };
  });
  const more = leftOut.length - named.length;
  const others = {
    code: 'invalid_item',
    message: `${more} more tools are left out; "skein item list" names them`,
  } as const;
  const unseen = palette.leftOut.join(', ');
  const message = `tool_preload.max_tokens leaves out ${unseen}: the model does not see them`;
  return [
    ...named,
    ...(more > 0 ? [others] : []),
    ...(unseen === '' ? [] : [{ code: 'not_available', message } as const]),
  ];
}

function placeOf({ file, line }: ErrorPlace = {}): string | undefined {
  return file !== undefined && line !== undefined ? `${file}:${line}` : file;
}

/** Says that calls of a model count as free, if they do. */
export function priceWarning({ price, reference }: ModelBinding): readonly ThreadWarning[] {
  if (price !== undefined) return [];
  return [{ code: 'price_unknown', message: `The price of ${reference} is not known: its calls count as free` }];
}
