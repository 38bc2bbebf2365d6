import * as z from 'zod';
import { jsonOrUndefined } from '../core/json-or-undefined.ts';
import { describeThrown, type CallFault } from './call-failure.ts';
import { errorIn } from './event-stream.ts';

/** Google's error: a status by name, and details of which two kinds matter here. */
const googleError = z.object({
  status: z.string().optional(),
  message: z.string().optional(),
  // Google's own code is a number, the HTTP status. Servers that speak its format say more here, and in a type.
  code: z.unknown().optional(),
  type: z.string().optional().catch(undefined),
  details: z
    .array(
      z.object({
        reason: z.string().optional().catch(undefined),
        retryDelay: z.string().optional().catch(undefined),
      }),
    )
    .catch([]),
});
type GoogleError = z.infer<typeof googleError>;

/** Where it stands: in what was thrown for an HTTP answer, or in what came instead of an event. */
const refusal = z.object({
  status: z.number().optional(),
  // Not `z.instanceof`: it would name the class, and so load Node's own `fetch`, with this file.
  headers: z.custom<Headers>((given) => given instanceof Headers),
  message: z.string().optional(),
  error: googleError,
});

/** An HTTP answer that is an error; `text` is its body. */
type HttpAnswer = { readonly status: number; readonly headers: Headers; readonly text: string };

/** The error to throw: what {@link describeGeminiError} reads. */
export function geminiHttpError({ status, headers, text }: HttpAnswer): Error {
  const json = jsonOrUndefined(text);
  // Without server-sent events Google answers with a list.
  const error = errorIn(Array.isArray(json) ? json[0] : json);
  return Object.assign(new Error(text || `HTTP ${status}`), { status, headers, error });
}

/** A failure as data, with the wait that Google asks for in the body as a header. */
export function describeGeminiError(failure: unknown): CallFault {
  const refused = refusal.safeParse(failure).data;
  if (!refused) return describeThrown(failure);
  const { status, headers, message, error } = refused;
  return describeThrown({
    message,
    status: status ?? httpStatus(error),
    headers: withRetryDelay(headers, error),
    error: plain(error),
  });
}

/** Of an error inside a stream: Google says it, servers that speak its format may say the name alone. */
function httpStatus({ code, status }: GoogleError): number | undefined {
  if (typeof code === 'number' && code >= 400 && code < 600) return code;
  return status === undefined ? undefined : STATUS_OF_NAME.get(status);
}

/** Google's names of statuses, as its APIs answer them over HTTP. */
const STATUS_OF_NAME: ReadonlyMap<string, number> = new Map([
  ['INVALID_ARGUMENT', 400],
  ['FAILED_PRECONDITION', 400],
  ['OUT_OF_RANGE', 400],
  ['UNAUTHENTICATED', 401],
  ['PERMISSION_DENIED', 403],
  ['NOT_FOUND', 404],
  ['ABORTED', 409],
  ['ALREADY_EXISTS', 409],
  ['RESOURCE_EXHAUSTED', 429],
  ['CANCELLED', 499],
  ['DATA_LOSS', 500],
  ['INTERNAL', 500],
  ['UNKNOWN', 500],
  ['UNIMPLEMENTED', 501],
  ['UNAVAILABLE', 503],
  ['DEADLINE_EXCEEDED', 504],
]);

function withRetryDelay(headers: Headers, error: GoogleError): Headers {
  const delayMs = retryDelayMs(error);
  if (delayMs === undefined || headers.has('retry-after') || headers.has('retry-after-ms')) return headers;
  const asked = new Headers(headers);
  asked.set('retry-after-ms', String(delayMs));
  return asked;
}

function plain({ status, message, details, ...error }: GoogleError): Readonly<Record<string, string | undefined>> {
  const code = typeof error.code === 'string' ? error.code : undefined;
  const reason = details.find((detail) => detail.reason !== undefined)?.reason;
  return { type: status ?? error.type, message, code: reason ?? code };
}

/** `RetryInfo` has it in seconds: `"37.5s"`. */
function retryDelayMs({ details }: GoogleError): number | undefined {
  const delay = details.find(({ retryDelay }) => retryDelay !== undefined)?.retryDelay;
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(delay ?? '')?.[1];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
}
