import { toFailure, type SkeinErrorCode } from '../../core/errors.ts';
import type { ApiError } from '../api.ts';
import type { Refusal } from './guard.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** What was thrown as an answer; `redact` takes secrets out of what is said. */
export function toRefusal(thrown: unknown, redact: (text: string) => string): Refusal {
  const { code, message } = toFailure(thrown);
  // What nobody expected may quote anything.
  if (code === 'internal') return { status: 500, code, message: 'Something unexpected went wrong in the dashboard' };
  return { status: STATUS[code] ?? 500, code, message: redact(message) };
}

/** The answer that a refusal is. */
export function toResponse(refusal: Refusal): Response {
  return Response.json(errorBody(refusal), { status: refusal.status, headers: SECURITY_HEADERS });
}

/** The body of a refusal. */
export function errorBody({ code, message }: Refusal): ApiError {
  return { error: { code, message } };
}

const STATUS: Readonly<Partial<Record<SkeinErrorCode, number>>> = {
  invalid_argument: 400,
  invalid_input: 400,
  missing_input: 400,
  invalid_item: 400,
  invalid_config: 400,
  permission_denied: 403,
  thread_not_found: 404,
  approval_not_found: 404,
  item_not_found: 404,
  thread_ended: 409,
  approval_settled: 409,
  budget_refused: 409,
  turns_exceeded: 409,
  tokens_exceeded: 409,
  spend_exceeded: 409,
  spawns_exceeded: 409,
  depth_exceeded: 409,
  duration_seconds_exceeded: 409,
  not_available: 503,
  runtime_closed: 503,
  store_failed: 503,
  project_locked: 503,
  deadline_exceeded: 504,
};
