import { askedDelayMs, retryDelayMs } from '../../config/retry.ts';
import type { SkeinErrorCode } from '../../core/errors.ts';
import { NO_USAGE, type ModelFailure } from '../../core/provider.ts';
import type { Classification } from '../../config/classify.ts';
import { askAbout } from './approval.ts';
import { suspendAsAsked } from './asked-suspension.ts';
import { isDecision, type Control } from '../hooks/control.ts';
import type { Effect } from './effects.ts';
import { outlasts, timeOver } from './deadline.ts';
import { fallBack, nextModel } from './fall-back.ts';
import type { Hook } from '../hooks/hooks.ts';
import { bookUsage } from './model-call.ts';
import { warnOfControl } from '../hooks/obey-control.ts';
import { runHooks } from '../hooks/run-hooks.ts';
import type { Services } from '../services/services.ts';
import { attemptOf, type Thread } from '../thread.ts';

/**
 * Settles what a failed call used, classifies it, and lets the `error` hooks decide (S2 §6.9). What they leave open and has
 * no further attempt goes to the next model of the thread's chain.
 */
export const classifyFailure: Effect = (thread, services) => {
  const failure = thread.modelFailure;
  if (!failure) throw new Error('classifyFailure without a failure');
  bookUsage({ thread, services, usage: failure.usage ?? NO_USAGE, interrupted: true });
  thread.sink?.interrupted(failure.message, failure.usage);
  const error = errorContext(failure);
  const classification = services.classify(error);
  const mayFallBack = !OF_RECORDINGS.has(failure.code);
  const waitMs = nextDelay(thread, services, { failure, classification });
  // A wait that it has no time for is none where another model can go on.
  const instead =
    mayFallBack && outlasts(thread, services.clock.now(), waitMs) ? nextModel({ thread, services }) : undefined;
  const delayMs = instead ? undefined : waitMs;
  services.journal.record(thread, 'error_classified', {
    error_code: classification.code,
    category: classification.category,
    retryable: classification.retryable,
    message: failure.message,
    attempt: attemptOf(thread),
    ...(delayMs !== undefined && { delay_ms: delayMs }),
  });
  // Looked for only when it would be the next to be asked.
  const after = instead ?? (waitMs === undefined && mayFallBack ? nextModel({ thread, services }) : undefined);
  const fallback = after?.reference;
  const context = (): Record<string, unknown> => ({ ...error, classification, attempt: attemptOf(thread), fallback });
  runHooks({ thread, services, event: 'error', context }, (control, by) => {
    if (control?.action === 'retry' && delayMs !== undefined) {
      thread.retryAt = services.clock.stopwatch() + delayMs;
      if (isRefusal(classification)) thread.refusals++;
      else thread.attempt++;
      return thread.send({ type: 'RETRY' });
    }
    const isOpen = !control || control.action === 'retry' || !isDecision('error', control);
    const model = isOpen && mayFallBack ? (after ?? nextModel({ thread, services })) : undefined;
    if (model) return fallBack({ thread, services }, model, failure.message);
    // One more attempt that is none is no mistake of the hook.
    const isMeant = control?.action === 'retry' && classification.retryable;
    if (control && isOpen && !isMeant) warnOfControl({ thread, services, event: 'error', by }, control);
    endAfterFailure(thread, failure, control && by ? { ...control, by } : undefined);
  });
};

/** A request that a recording has no answer to, which another model's answer would hide, or can't be written to: it takes none. */
const OF_RECORDINGS: ReadonlySet<string | undefined> = new Set(['replay_missing', 'recording_failed']);
/** Codes that a thread ends with as they are: the provider was not asked. */
const CARRIED: ReadonlyMap<string | undefined, SkeinErrorCode> = new Map([
  ['replay_missing', 'replay_missing'],
  ['recording_failed', 'recording_failed'],
  ['content_unsupported', 'content_unsupported'],
]);

type FailedCall = { readonly failure: ModelFailure; readonly classification: Classification };

/** Milliseconds until the next attempt, or undefined when there is none. */
function nextDelay(thread: Thread, services: Services, failed: FailedCall): number | undefined {
  const { failure, classification } = failed;
  const { config, clock, random, gates } = services;
  const sharedMs = shareBackOff(thread, services, failed);
  // A provider that has answered others since refuses nobody in particular: what counts is its refusals in a row.
  if (sharedMs !== undefined)
    thread.refusals = Math.min(thread.refusals, gates.earlierRefusals(thread.plan.model.provider.id));
  const tries = isRefusal(classification) ? thread.refusals : thread.attempt;
  if (!classification.retryable || tries >= config.resilience.retry.maxRetries) return undefined;
  const context = { headers: failure.headers, now: clock.now(), random };
  return sharedMs ?? retryDelayMs(classification.policy, thread.attempt, context);
}

/** Of the category whose back-off all threads of a provider share (contracts, "Retry"). */
function isRefusal({ category }: Classification): boolean {
  return category === 'rate_limited';
}

/**
 * Closes the provider's gate after a 429, for every thread of every worker; milliseconds until it opens. With jitter, as
 * every wait that nobody asked for: other runtimes may call the same provider. It takes away half of the wait at most, so that
 * no round of refusals follows at once on the last one (docs/adr/0018-shared-back-off.md).
 */
function shareBackOff(
  thread: Thread,
  { gates, clock, random }: Services,
  { failure, classification }: FailedCall,
): number | undefined {
  const provider = thread.plan.model.provider.id;
  if (!isRefusal(classification)) {
    // Another failure says nothing about how many calls the provider takes.
    thread.providerRound = undefined;
    return undefined;
  }
  const { policy } = classification;
  const context = { headers: failure.headers, now: clock.now(), random: () => (1 + random()) / 2 };
  return gates.refused(provider, thread, {
    delayMs: (attempt) => retryDelayMs(policy, attempt, context),
    askedMs: askedDelayMs(policy, context),
  });
}

function endAfterFailure(
  thread: Thread,
  failure: ModelFailure,
  control: (Control & { readonly by: Hook }) | undefined,
): void {
  const message = `${failure.type}: ${control?.error ?? failure.message}`;
  if (control?.action === 'abort') return thread.send({ type: 'CANCEL', reason: message });
  if (control?.action === 'suspend' || control?.action === 'escalate') {
    const ask = askAbout(thread, { by: control.by, message: control.suspend_reason ?? message });
    return thread.send({ type: 'SUSPEND', reason: 'error', message, ask });
  }
  thread.send({ type: 'FAIL', failure: { code: CARRIED.get(failure.code) ?? 'provider_failed', message } });
}

/** Contracts, "Error context": every path a pattern may name is there. */
function errorContext({ type, message, code, statusCode, headers }: ModelFailure): Record<string, unknown> {
  return { status_code: statusCode, headers, error: { type, message, code } };
}

/** Waits before the next attempt, unless it has no time for that; a suspension, a cancel or the deadline ends the wait. */
export const backOff: Effect = (thread, { clock, journal }) => {
  if (suspendAsAsked(thread)) return;
  const now = clock.now();
  // A waived limit may have taken a part of the wait.
  const left = Math.max(0, (thread.retryAt ?? 0) - clock.stopwatch());
  if (outlasts(thread, now, left)) return thread.send(timeOver(thread, now + left));
  // It may be minutes to the next step: what went wrong is to be seen meanwhile, and what it cost to be booked.
  journal.flushSoon(thread);
  thread.timer = clock.setTimer(left, () => {
    thread.timer = undefined;
    thread.retryAt = undefined;
    thread.send({ type: 'BACK_OFF_OVER' });
  });
};
