import type { ErrorPlace, SkeinErrorCode } from '../core/errors.ts';
import type { ModelBinding } from '../providers/provider-registry.ts';
import type { ThreadPlan } from './plan.ts';
import type { Services } from './services.ts';
import type { Thread } from './thread.ts';

/** A `warning` event's payload. */
export type ThreadWarning = { readonly code: SkeinErrorCode; readonly message: string; readonly where?: string };

/** Tools that are left out and named one by one: a project may have very many broken files, and each thread says so. */
const MAX_NAMED = 5;

/** What somebody should know who reads the log of a thread that starts: told once, whatever happens to it later. */
export function startWarnings({ plan, spec }: Thread, { mcp }: Pick<Services, 'mcp'>): readonly ThreadWarning[] {
  const where = plan.directive.id;
  return [
    ...spec.warnings.map((message) => ({ code: 'invalid_item', message, where }) as const),
    ...plan.trustRemarks.map(({ id, message }) => ({ code: 'item_unsigned', message, where: id }) as const),
    ...leftOutWarnings(plan),
    ...mcp.troubles(spec.capabilities).map((message) => ({ code: 'not_available', message }) as const),
    ...priceWarning(plan.model),
  ];
}

function leftOutWarnings({ leftOutTools, palette }: ThreadPlan): readonly ThreadWarning[] {
  const named = leftOutTools.slice(0, MAX_NAMED).map(({ id, failure: { code, message, where } }): ThreadWarning => {
    return { code, message: `The tool ${id} is left out: ${message}`, where: placeOf(where) ?? id };
  });
  const more = leftOutTools.length - named.length;
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
