import * as z from 'zod';
import { jsonOrUndefined } from '../core/json-or-undefined.ts';
import type { CallFault } from './call-failure.ts';
import { describeThrown } from './call-failure.ts';

/** Google's error body: a status by name, and details of which two kinds matter here. */
const body = z.object({
  error: z.object({
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
  }),
});
type ErrorBody = z.infer<typeof body>['error'];

/** An answer that is no stream of events, on its way through the SDK. */
export class NoEventStream extends Error {
  readonly fault: CallFault;

  constructor(fault: CallFault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** An HTTP answer that is an error; `text` is its body. */
type HttpAnswer = { readonly status: number; readonly headers: Headers; readonly text: string };

/** The error to throw: what `describeThrown` reads, with the wait that Google asks for in the body as a header. */
export function geminiHttpError({ status, headers, text }: HttpAnswer): Error {
  const error = parseBody(text);
  const asked = new Headers(headers);
  const delayMs = retryDelayMs(error);
  if (delayMs !== undefined && !asked.has('retry-after') && !asked.has('retry-after-ms')) {
    asked.set('retry-after-ms', String(delayMs));
  }
  return Object.assign(new Error(text || `HTTP ${status}`), { status, headers: asked, error: error && plain(error) });
}

/**
 * What the SDK threw, as data. An error event inside a stream is only in the message of the SDK's error:
 * `got status: UNAVAILABLE. {"error": …}`.
 */
export function describeGeminiError(thrown: unknown): CallFault {
  if (thrown instanceof NoEventStream) return thrown.fault;
  if (!(thrown instanceof Error) || thrown.name !== 'ApiError') return describeThrown(thrown);
  const error = parseBody(thrown.message.slice(thrown.message.indexOf('{')));
  return describeThrown(error ? Object.assign(thrown, { error: plain(error) }) : thrown);
}

function parseBody(text: string): ErrorBody | undefined {
  const json = jsonOrUndefined(text);
  // Without server-sent events Google answers with a list.
  return body.safeParse(Array.isArray(json) ? json[0] : json).data?.error;
}

function plain({ status, message, details, ...error }: ErrorBody): Readonly<Record<string, string | undefined>> {
  const code = typeof error.code === 'string' ? error.code : undefined;
  const reason = details.find((detail) => detail.reason !== undefined)?.reason;
  return { type: status ?? error.type, message, code: reason ?? code };
}

/** `RetryInfo` has it in seconds: `"37.5s"`. */
function retryDelayMs(error: ErrorBody | undefined): number | undefined {
  const delay = error?.details.find(({ retryDelay }) => retryDelay !== undefined)?.retryDelay;
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(delay ?? '')?.[1];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
}
