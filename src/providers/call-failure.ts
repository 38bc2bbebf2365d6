import { cutText } from '../core/cut-text.ts';
import { messageOf, SkeinError } from '../core/errors.ts';
import type { ModelFailure } from '../core/provider.ts';
import { LEAST_SECRET } from '../core/redactor.ts';
import type { TimeoutKind } from './watchdog.ts';

/** A failure before its usage is known. */
export type CallFault = Omit<ModelFailure, 'usage'>;

/** Longest message that is carried on: a proxy's error page can be a megabyte of HTML. */
const MAX_MESSAGE = 2000;

/** Longest name of an event in a message: it is the provider's to choose. */
const MAX_NAME = 200;

/** What the two SDKs' errors have in common; every field is a claim of the other side. */
type ApiErrorLike = {
  readonly status?: unknown;
  readonly headers?: unknown;
  readonly message?: unknown;
  readonly type?: unknown;
  readonly code?: unknown;
  readonly error?: unknown;
  readonly cause?: unknown;
  readonly name?: unknown;
};

/** One of the `Timeouts` ran out. The type is the one S2 §4.2's patterns know. */
export function timeoutFault(kind: TimeoutKind, afterMs: number): CallFault {
  const what = { first_byte: 'no answer began', idle: 'the answer stalled', total: 'the answer was not complete' }[
    kind
  ];
  return fault('TimeoutError', `timed out: ${what} within ${afterMs} ms`, `${kind}_timeout`);
}

/**
 * Whether a call without a single event of an answer is paid for all the same, as far as can be told: the provider had it, and
 * did not refuse it.
 */
export function mayBePaid({ type, code, statusCode, headers }: CallFault): boolean {
  if (statusCode !== undefined) return false;
  // A page for people is of somebody between us and the provider.
  if (type === 'InvalidResponseError') return !headers['content-type']?.toLowerCase().startsWith('text/html');
  return type === 'TimeoutError' || (type === 'ConnectionError' && code !== undefined && LATE_BREAKS.has(code));
}

/** How a connection breaks that there was; one that could not be made has other codes. */
const LATE_BREAKS: ReadonlySet<string> = new Set(['stream_incomplete', 'UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** The stream ended, cleanly or not, before the provider said that the answer was complete. */
export function cutFault(missing: string): CallFault {
  return fault('ConnectionError', `connection closed before the answer was complete: ${missing}`, 'stream_incomplete');
}

/** An event of JSON that is of no form that its assembler reads; what that has thrown says why. */
export function oddEventFault(event: unknown, thrown: unknown): CallFault {
  const message = `the event ${cutText(nameOf(event), MAX_NAME)} is of a form that nobody knows (${messageOf(thrown)})`;
  return fault('ConnectionError', message, 'stream_incomplete');
}

/** Its type where it has one, else its fields. */
function nameOf(event: unknown): string {
  if (!isObject(event)) return JSON.stringify(event);
  return textOf(event['type']) ?? `{${Object.keys(event).join(', ')}}`;
}

/** The provider delivered a complete answer that is not one. */
export function invalidFault(code: string, message: string): CallFault {
  return fault('InvalidResponseError', message, code);
}

/** A failure without an HTTP answer. */
export function fault(type: string, message: string, code?: string): CallFault {
  return { type, message, code, statusCode: undefined, headers: {} };
}

/**
 * What an SDK threw, as data (contracts, "Error context"): the provider's own type, message and code where it sent
 * them, the status and the headers where there was an HTTP answer, and `ConnectionError` where there was none.
 */
export function describeThrown(thrown: unknown): CallFault {
  if (typeof thrown !== 'object' || thrown === null) return fault('InternalError', String(thrown));
  // Ours: the request could not be built, and none was sent.
  if (thrown instanceof SkeinError) return fault('InvalidRequestError', thrown.message, thrown.code);
  const error: ApiErrorLike = thrown;
  const body = providerBody(error.error);
  if (typeof error.status !== 'number' && body === undefined) return describeLocal(error);
  const code = codeText(body?.['code']) ?? codeText(error.code);
  const type = typeOf(body, code) ?? textOf(error.type) ?? 'HttpError';
  return {
    type,
    message: textOf(body?.['message']) ?? textOf(error.message) ?? 'the provider gave no message',
    code,
    statusCode: typeof error.status === 'number' ? error.status : (statusOfCode(code) ?? STATUS_OF_TYPE.get(type)),
    headers: plainHeaders(error.headers),
  };
}

/** An event of OpenAI's Responses that is an error has its own type there, and says with a code, if at all, what it is. */
function typeOf(body: ReturnType<typeof providerBody>, code: string | undefined): string | undefined {
  const type = textOf(body?.['type']);
  if (type !== 'error') return type;
  return code ?? (body && 'code' in body ? 'server_error' : undefined);
}

/**
 * A failure as it is told: without a secret, wherever it stands (some providers and `fetch` itself quote the key they refuse),
 * and with a message that is cut where it is too long. In this order: of a key that is cut, the rest would not be found.
 */
export function tellFailure(failure: CallFault, secret: string | undefined): CallFault {
  const clean = (text: string): string =>
    secret === undefined || secret.length < LEAST_SECRET ? text : text.replaceAll(secret, '[key]');
  const headers = Object.entries(failure.headers).map(([name, value]) => [name, clean(value)] as const);
  return {
    ...failure,
    type: clean(failure.type),
    message: cutText(clean(failure.message), MAX_MESSAGE),
    code: failure.code === undefined ? undefined : clean(failure.code),
    headers: Object.fromEntries(headers),
  };
}

/** Error events inside a stream carry no status; classification goes by it, so the documented one is filled in. */
const STATUS_OF_TYPE: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['api_error', 500],
  ['server_error', 500],
  ['server_is_overloaded', 503],
  ['service_unavailable_error', 503],
  ['slow_down', 503],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

/** Some OpenAI-compatible gateways put the status into `code`. */
function statusOfCode(code: string | undefined): number | undefined {
  if (code === undefined) return undefined;
  return /^[45]\d\d$/.test(code) ? Number(code) : STATUS_OF_TYPE.get(code);
}

/** Anthropic's SDK keeps `{type: 'error', error: {...}}`, OpenAI's the inner object. */
function providerBody(body: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isObject(body)) return undefined;
  return isObject(body['error']) ? body['error'] : body;
}

/** No HTTP answer: the request never arrived, or the stream broke off. */
function describeLocal(error: ApiErrorLike): CallFault {
  const code = codeText(error.code) ?? causeCode(error.cause);
  // Some servers put a text where an error belongs.
  const said = textOf(error.message) ?? textOf(error.error);
  const message = [said, causeMessage(error.cause)].filter(Boolean).join(': ');
  if (error.name === 'SyntaxError') return cutFault(`the stream is not valid JSON (${message})`);
  // Our own `fetch` refuses an answer that is too large.
  if (error.name === 'InvalidResponseError') return invalidFault(code ?? 'invalid_response', message);
  const isBug = error.name === 'TypeError' && code === undefined && !NETWORK_MESSAGE.test(message);
  return isBug ? fault('InternalError', message) : fault('ConnectionError', message, code ?? 'connection_failed');
}

const NETWORK_MESSAGE = /terminated|fetch failed|network|socket|other side closed|aborted/i;

function causeCode(cause: unknown, depth = 0): string | undefined {
  if (!isObject(cause) || depth > 4) return undefined;
  return codeText(cause['code']) ?? causeCode(cause['cause'], depth + 1);
}

function causeMessage(cause: unknown): string | undefined {
  return isObject(cause) ? textOf(cause['message']) : undefined;
}

/** Lower-case names, as they arrive; cookies stay behind. */
export function plainHeaders(headers: unknown): Readonly<Record<string, string>> {
  if (!(headers instanceof Headers)) return {};
  return Object.fromEntries([...headers].filter(([name]) => name !== 'set-cookie'));
}

/** Lists pass, too: a body of any shape says that there was an answer. */
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function codeText(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : textOf(value);
}
