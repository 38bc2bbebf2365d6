import { SkeinError } from '../core/errors.ts';
import type { HttpOrder } from './http-client-order.ts';

/** Why a request gave no answer. */
export type HttpFailureReason = 'timeout' | 'network' | 'redirects' | 'response_too_large' | 'not_text' | 'not_json';

/** The error for a request that gave no answer. */
export function httpFailure(reason: HttpFailureReason, message: string, cause?: unknown): SkeinError {
  return new SkeinError('tool_failed', message, { cause, detail: { reason } });
}

/** What was thrown while a request was under way, as one of our errors; those pass as they are. */
export function networkFailure({ method, url }: HttpOrder, thrown: unknown): SkeinError {
  if (thrown instanceof SkeinError) return thrown;
  return httpFailure('network', `${method} ${url.href} failed: ${reasonOf(thrown)}`, thrown);
}

/** Several addresses tried in vain give an error without a message of its own. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === '') return thrown.errors.map(reasonOf).join('; ');
  return thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
}
