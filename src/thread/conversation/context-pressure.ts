import type { Config } from '../../config/config.ts';
import type { Failure } from '../../core/errors.ts';
import type { ThreadMachineEvent } from '../../../machines/thread.machine.ts';
import { isRecord, own } from '../../core/record.ts';
import { takeSummary } from './take-summary.ts';
import { compactionOf } from './compaction.ts';
import { fullShare } from './context-size.ts';
import type { Control } from '../hooks/control.ts';
import type { Effect } from '../steps/effects.ts';
import type { HookAnswer } from '../hooks/hook-action.ts';
import type { Hook } from '../hooks/hooks.ts';
import { obeyControl } from '../hooks/obey-control.ts';
import { sayParts } from '../tiers/measure-request.ts';
import { isHistoryLong, noteCompaction, summedUpLength } from './summed-up.ts';
import { runHooks, warnOfHook } from '../hooks/run-hooks.ts';
import type { Thread } from '../thread.ts';

/**
 * What must be seen to before the next call because of the size of the conversation (contracts, "Continuation"). Pressure is
 * raised at most once a turn, and only where a hook listens.
 */
export function checkContext(thread: Thread, { resilience }: Config): ThreadMachineEvent | undefined {
  const { contextTokens, plan, turns } = thread;
  const { enabled, pressureThreshold, hardThreshold } = resilience.continuation;
  const window = plan.model.contextWindow;
  if (!enabled) return contextTokens < window ? undefined : { type: 'FAIL', failure: contextTooLong(thread) };
  if (contextTokens < pressureThreshold * window && !isHistoryLong(thread)) {
    // Right after a compaction this is an estimate: whether it has become short is what the provider counts.
    if (thread.pressedAt !== turns) thread.compacted = false;
    return undefined;
  }
  if (thread.pressedAt !== turns && plan.hooks.has('context_window_pressure')) return { type: 'CONTEXT_PRESSED' };
  // What was waived is how full it is, and not that it fits.
  if (contextTokens < (thread.fullWaivedAt === turns ? 1 : hardThreshold) * window) return undefined;
  return { type: 'CONTEXT_FULL' };
}

/**
 * Whether the conversation has room for what was sent to its thread since {@link checkContext} has let that pass. With less than is
 * full it has: the next check raises the pressure.
 */
export function hasRoomForInbox(thread: Thread, config: Config): boolean {
  const { counter } = thread.plan.model;
  let { contextTokens } = thread;
  for (const text of thread.inbox) contextTokens += counter.expect(counter.count(text));
  return contextTokens < fullShare(config) * thread.plan.model.contextWindow;
}

/**
 * What comes before a hand-over that somebody asked for: the conversation is summed up for the successor, where there are
 * hooks for that and something to be summed up.
 */
export function beforeHandOver(thread: Thread): ThreadMachineEvent {
  const { pressedAt, turns, plan } = thread;
  const isHeard = pressedAt === turns || !plan.hooks.has('context_window_pressure');
  return { type: isHeard || summedUpLength(thread) === 0 ? 'SUCCESSOR_NEEDED' : 'CONTEXT_PRESSED' };
}

/**
 * Runs the `context_window_pressure` hooks: a directive that one executes, or a function, gives a `summary`. What was tried under
 * pressure is not tried again until there was none; what was tried because a history in tiers is long, when that has grown, or
 * under pressure.
 */
export const relievePressure: Effect = (thread, services) => {
  const { pressureThreshold } = services.config.resilience.continuation;
  const isPressed = thread.contextTokens >= pressureThreshold * thread.plan.model.contextWindow;
  thread.pressedAt = thread.turns;
  if (isHistoryLong(thread)) thread.compacted = false;
  const event = 'context_window_pressure';
  const take = (answer: HookAnswer, hook: Hook): undefined => {
    const summary = summaryOf(answer);
    if (summary === undefined || thread.compacted) return;
    thread.compacted = true;
    const replaced = takeSummary({ thread, services }, summary);
    if (!replaced.ok) warnOfHook({ thread, services, hook }, replaced.failure);
  };
  const context = (): Record<string, unknown> => pressureContext(thread);
  runHooks({ thread, services, event, context, take, own: compactionOf }, (control, by) => {
    noteCompaction(thread);
    if (!isPressed) thread.compacted = false;
    if (!obeyControl({ thread, services, event, by }, control)) thread.send({ type: 'PRESSURE_SEEN' });
  });
};

/** At the hard threshold: hooks may let the thread go on for this call, as long as the conversation fits at all. */
export const decideFullContext: Effect = (thread, services) => {
  const event = 'context_limit_reached';
  const context = (): Record<string, unknown> => pressureContext(thread);
  runHooks({ thread, services, event, context }, (control, by) => {
    if (obeyControl({ thread, services, event, by }, control)) return;
    const waives = control !== undefined && WAIVES.has(control.action);
    // One that was full from the beginning would only have successors.
    const canHandOver = thread.turns > thread.firstTurn && thread.assembly?.hadRoom !== false;
    if (!waives && canHandOver) return thread.send({ type: 'SUCCESSOR_NEEDED' });
    if (!waives) return thread.send({ type: 'FAIL', failure: contextTooLong(thread) });
    if (thread.contextTokens >= thread.plan.model.contextWindow) {
      return thread.send({ type: 'FAIL', failure: contextTooLong(thread) });
    }
    thread.fullWaivedAt = thread.turns;
    thread.send({ type: 'FULL_WAIVED' });
  });
};

const WAIVES: ReadonlySet<Control['action']> = new Set(['continue', 'skip']);

function pressureContext({ contextTokens, plan }: Thread): Record<string, unknown> {
  const { contextWindow } = plan.model;
  return {
    pressure_ratio: contextTokens / contextWindow,
    tokens_used: contextTokens,
    tokens_limit: contextWindow,
  };
}

function summaryOf({ value }: HookAnswer): string | undefined {
  const summary = isRecord(value) ? own(value, 'summary') : undefined;
  return typeof summary === 'string' && summary.trim() !== '' ? summary : undefined;
}

/** Why a conversation can't go on. */
export function contextTooLong({ contextTokens, plan, assembly }: Thread): Failure {
  const { contextWindow } = plan.model;
  const what = assembly?.parts ? `The prompt (${sayParts(assembly.parts, contextTokens)})` : 'The conversation';
  const message = `${what} takes about ${contextTokens} tokens and does not fit into the model's ${contextWindow}`;
  return { code: 'context_window_exceeded', message };
}
