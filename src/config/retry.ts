import type { RetryPolicy } from './retry-policy.ts';

/** What the delay may depend on besides policy and attempt. */
export type RetryContext = {
  /** Response headers of the failed call; names in any case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch, to read a date in `retry-after`. */
  readonly now: number;
  /** Uniform in [0, 1); turns on full jitter for exponential delays. */
  readonly random?: () => number;
};

/** Longest wait, some 24.8 days, however absurd a `retry-after` is. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * How long to wait before the next attempt, in milliseconds (S2 §4.2 and contracts, "Retry"); `undefined` when the
 * policy is not to try again. `attempt` counts consecutive failures from 0: `min(base * 2 ** attempt, max)`. A wait the
 * server asks for with `retry-after-ms` or `retry-after` is never undercut, whatever the policy; one of no time is none.
 */
export function retryDelayMs(policy: RetryPolicy, attempt: number, context: RetryContext): number | undefined {
  switch (policy.type) {
    case 'none':
      return undefined;
    case 'fixed':
      return atLeastAsked(policy.delay * 1000, context);
    case 'exponential': {
      const seconds = Math.min(policy.base * 2 ** Math.max(0, attempt), policy.max);
      return atLeastAsked(seconds * 1000 * (context.random?.() ?? 1), context);
    }
    case 'use_header':
      return askedIn(policy.header, context) ?? retryDelayMs(policy.fallback, attempt, context);
    default:
      return policy satisfies never;
  }
}

/** The wait that the server itself asks for, in milliseconds; `undefined` if it names none, or the policy is not to wait. */
export function askedDelayMs(policy: RetryPolicy, context: RetryContext): number | undefined {
  if (policy.type === 'none') return undefined;
  const named = policy.type === 'use_header' ? askedIn(policy.header, context) : undefined;
  return named ?? readDelay('retry-after', context);
}

function askedIn(header: string, context: RetryContext): number | undefined {
  const delayMs = readDelay(header, context);
  return delayMs === undefined ? undefined : atLeastAsked(delayMs, context);
}

function atLeastAsked(delayMs: number, context: RetryContext): number {
  return clamp(Math.max(delayMs, readDelay('retry-after', context) ?? 0));
}

function readDelay(header: string, { headers, now }: RetryContext): number | undefined {
  const milliseconds = header === 'retry-after' ? readNumber(findHeader(headers, 'retry-after-ms')) : undefined;
  const value = findHeader(headers, header);
  const seconds = readNumber(value);
  return waitOf(milliseconds) ?? waitOf(seconds === undefined ? readDate(value, now) : seconds * 1000);
}

/** No time, or one that is over, is no wait that was asked for. */
function waitOf(delayMs = 0): number | undefined {
  const wait = clamp(delayMs);
  return wait > 0 ? wait : undefined;
}

function findHeader(headers: Readonly<Record<string, string>>, wanted: string): string | undefined {
  if (Object.hasOwn(headers, wanted)) return headers[wanted];
  const name = Object.keys(headers).find((key) => key.toLowerCase() === wanted);
  return name === undefined ? undefined : headers[name];
}

/** Longest header value looked at. */
const MAX_VALUE = 64;
const DECIMAL = /^\d+(?:\.\d+)?$/;
/** The three forms of RFC 9110 §5.6.7 begin with the name of a weekday. */
const WEEKDAY = /^(?:mon|tue|wed|thu|fri|sat|sun)/i;

function readNumber(value: string | undefined): number | undefined {
  const text = value?.trim() ?? '';
  return text.length <= MAX_VALUE && DECIMAL.test(text) ? Number(text) : undefined;
}

/** How long it is until a date, in milliseconds. */
function readDate(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (text.length > MAX_VALUE || !WEEKDAY.test(text)) return undefined;
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : time - now;
}

function clamp(delayMs: number): number {
  return Math.min(Math.max(0, Math.round(delayMs)), MAX_DELAY_MS);
}
