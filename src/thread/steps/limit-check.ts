import { nanoToUsd } from '../../core/money.ts';
import type { LimitHit } from '../../core/limits.ts';
import { isDecision, type Control } from '../hooks/control.ts';
import type { Effect } from './effects.ts';
import { costPayload } from '../../core/cost-payload.ts';
import { costOf } from '../cost.ts';
import { deliverInbox } from '../conversation/conversation.ts';
import { askAtLimit } from './approval.ts';
import { suspendAsAsked } from './asked-suspension.ts';
import { beforeHandOver, checkContext } from '../conversation/context-pressure.ts';
import { tellChildNews, unheardNews } from '../hooks/child-hooks.ts';
import { warnOfControl } from '../hooks/obey-control.ts';
import type { HookAnswer } from '../hooks/hook-action.ts';
import type { Hook } from '../hooks/hooks.ts';
import { runHooks } from '../hooks/run-hooks.ts';
import type { Services } from '../services/services.ts';
import { isStepDue, isWorkOver } from './step-end.ts';
import { stopWork } from './stop-work.ts';
import { startDeadline } from './deadline.ts';
import { suggestLimit } from './suggested-limit.ts';
import type { Thread } from '../thread.ts';

/** Compares the counters with the limits before a call (contracts, "Limit checks": `>=`). */
export const checkLimits: Effect = (thread, services) => {
  const { clock, config } = services;
  if (suspendAsAsked(thread)) return;
  if (thread.handOverAsked) return thread.send(beforeHandOver(thread));
  // What was sent to the thread counts as well.
  deliverInbox({ thread, services });
  const full = checkContext(thread, config);
  if (full) return thread.send(full);
  const hit = findLimitHit(thread, clock.now());
  thread.send(hit ? { type: 'LIMIT_HIT', hit } : { type: 'WITHIN_LIMITS', retrying: isRetrying(thread) });
};

/** A request in tiers may have to be laid out again. */
function isRetrying({ modelFailure, assembly }: Thread): boolean {
  return modelFailure !== undefined && (assembly === undefined || assembly.request !== undefined);
}

/** The first limit that is reached. */
function findLimitHit(thread: Thread, now: number): LimitHit | undefined {
  const { limits } = thread;
  const tokens = thread.inputTokens + thread.outputTokens;
  const seconds = (now - thread.startedAt) / 1000;
  if (thread.turns >= limits.turns && !isWaived(thread, 'turns_exceeded'))
    return { code: 'turns_exceeded', current: thread.turns, max: limits.turns };
  if (tokens >= limits.tokens && !isWaived(thread, 'tokens_exceeded'))
    return { code: 'tokens_exceeded', current: tokens, max: limits.tokens };
  // Where nothing was spent, the ledger knows whether there is enough: a model may be free.
  if (thread.spend > 0 && thread.spend >= limits.spend && !isWaived(thread, 'spend_exceeded'))
    return { code: 'spend_exceeded', current: thread.spend, max: limits.spend };
  if (seconds >= limits.durationSeconds && !isWaived(thread, 'duration_seconds_exceeded'))
    return { code: 'duration_seconds_exceeded', current: seconds, max: limits.durationSeconds };
  return undefined;
}

/** A hook may have waived it for this turn. */
function isWaived({ waived }: Thread, code: LimitHit['code']): boolean {
  return waived !== undefined && waived.has(code);
}

/**
 * Lets the `limit` hooks decide; without a decision, `limits.enforcement.on_exceed` does. A limit is of whoever has set it for a
 * thread: hooks of config files waive it, and those of its directive don't (docs/adr/0068-a-hook-that-lets-pass.md).
 */
export const decideLimit: Effect = (thread, services, event) => {
  if (event.type !== 'LIMIT_HIT' && event.type !== 'BUDGET_REFUSED') return;
  stopWork(thread, services, event);
  const cutOff = unheardNews(thread);
  const { hit } = event;
  const isMoney = hit.code === 'spend_exceeded';
  const values = {
    limit_code: hit.code,
    current_value: isMoney ? nanoToUsd(hit.current) : hit.current,
    current_max: isMoney ? nanoToUsd(hit.max) : hit.max,
  };
  const { onExceed } = services.config.resilience.limits;
  let waiver: Hook | undefined;
  const context = (): Record<string, unknown> => {
    return { ...values, on_exceed: onExceed, cost: costPayload(costOf(thread)), waived_by: waiver?.id };
  };
  // Nothing can be called without money, or before there is something to say: that can't be waived.
  const canWaive = event.type === 'LIMIT_HIT' && thread.messages.length > 0;
  const take = ({ control }: HookAnswer, by: Hook): Record<string, unknown> | undefined => {
    if (!canWaive || waiver || !control || !WAIVES.has(control.action)) return undefined;
    if (by.rights !== 'all' || by.layer === 3) return undefined;
    waiver = by;
    return context();
  };
  runHooks({ thread, services, event: 'limit', context, take }, (control, by, failure) => {
    const decides = control !== undefined && isDecision('limit', control);
    if (waiver && !decides) {
      thread.waived = (thread.waived ?? new Set()).add(hit.code);
      // A waived duration would be hit again at once.
      if (!thread.waived.has('duration_seconds_exceeded')) startDeadline(thread, services);
      // Of children whose hooks were cut off.
      tellChildNews({ thread, services }, cutOff);
      const calls = thread.toolRun !== undefined;
      const wait = thread.retryAt !== undefined;
      return thread.send({ type: 'LIMIT_WAIVED', final: isWorkOver(thread), calls, step: isStepDue(thread), wait });
    }
    if (control && !decides) warnOfControl({ thread, services, event: 'limit', by }, control);
    const decision = decides
      ? { control, by: failure ? undefined : by }
      : { control: { action: onExceed }, by: undefined };
    endAtLimit({ thread, services, values, hit, ...decision });
  });
};

const WAIVES: ReadonlySet<Control['action']> = new Set(['continue', 'skip']);

type LimitDecision = {
  readonly thread: Thread;
  readonly services: Services;
  readonly values: {
    readonly limit_code: LimitHit['code'];
    readonly current_value: number;
    readonly current_max: number;
  };
  readonly hit: LimitHit;
  readonly control: Control;
  /** The hook that decided; undefined: `on_exceed` does. */
  readonly by: Hook | undefined;
};

function endAtLimit(decision: LimitDecision): void {
  const { thread, values, hit, control, by } = decision;
  const { asked } = hit;
  const more = asked === undefined ? '' : `, and the next call may cost ${nanoToUsd(asked)}`;
  const message = `${values.limit_code}: ${values.current_value} of ${values.current_max}${more}`;
  const reason = control.suspend_reason ?? control.error ?? message;
  switch (control.action) {
    case 'abort':
      return thread.send({ type: 'CANCEL', reason: control.error ?? message });
    case 'escalate':
      return escalate(decision, reason);
    case 'suspend': {
      const ask = askAtLimit({ thread, by }, { hit, message: reason });
      return thread.send({ type: 'SUSPEND', reason: 'limit', message: reason, ask });
    }
    case 'fail':
    case 'retry':
    case 'continue':
    case 'skip':
      return thread.send({ type: 'FAIL', failure: { code: values.limit_code, message: control.error ?? message } });
  }
}

/** Asks for more. */
function escalate({ thread, services, values, hit, by }: LimitDecision, message: string): void {
  services.journal.record(thread, 'limit_escalation_requested', values);
  suggestLimit({ thread, services }, hit, (suggested) => {
    const ask = askAtLimit({ thread, by }, { hit, message, suggested });
    thread.send({ type: 'SUSPEND', reason: 'limit', message, ask });
  });
}
