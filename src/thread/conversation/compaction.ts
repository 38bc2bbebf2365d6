import type { ThreadId } from '../../core/ids.ts';
import { SkeinError, toFailure, type Failure } from '../../core/errors.ts';
import type { Directive } from '../../core/item.ts';
import { nanoToUsd, type NanoUsd } from '../../core/money.ts';
import { packSpec, type SplitSpec } from '../../core/packed-spec.ts';
import type { SpawnedChild, SpawnRequest, WaitedThread } from '../../core/protocol.ts';
import { failed, ok } from '../../core/result.ts';
import type { RunningTool } from '../../core/tool.ts';
import { OLD_SPELLINGS } from '../../config/limits.ts';
import { NOTHING_TO_REPLACE } from './take-summary.ts';
import type { ItemCache } from '../../items/item-cache.ts';
import { worstCase } from '../../providers/pricing.ts';
import type { ModelBinding } from '../../providers/provider-registry.ts';
import { readRequest } from '../../tools/primary-request.ts';
import { conversationText } from './conversation-text.ts';
import type { HookActionOrder, HookActionStart } from '../hooks/hook-action.ts';
import type { HookCallback } from '../hooks/hook-call.ts';
import type { HookAction } from '../hooks/hooks.ts';
import { prepareChild, recordChild } from '../plan/prepare-child.ts';
import type { Thread } from '../thread.ts';
import { summedUpLength } from './summed-up.ts';

/**
 * The way a directive is executed by a `context_window_pressure` hook: in a child, which gets the part of the conversation
 * that its output `summary` will stand for. Undefined for any other action. Once it was tried it is not tried again until
 * the conversation has been below the threshold, or its history in tiers has grown.
 */
export function compactionOf(order: HookActionOrder): HookActionStart | undefined {
  const { primary = 'execute', item_type: kind } = order.action.attributes;
  if (primary !== 'execute' || kind !== 'directive') return undefined;
  const { request } = readRequest(order.action.attributes);
  if (request.dryRun) return undefined;
  return (callback) => {
    if (!order.thread.compacted) return new Compaction(order, callback).start();
    callback.done(ok({ value: null, control: undefined }));
    return undefined;
  };
}

/** The input with the conversation, for a directive that declares one of this name. */
const CONVERSATION = 'conversation';
/** The input with `compaction.md` (S1 "Other Prompts"), for threads whose prompt stands in tiers. */
const INSTRUCTIONS = 'instructions';
/** Share of the model's window, in tokens estimated from above, that the conversation may fill. */
const CONVERSATION_SHARE = 0.5;
/** What it may spend, beside what the thread has left: one call, and another that it has to be reminded in. */
const CALLS = 2;

/**
 * One child that sums up.
 *
 * 1. It is done once: with the child's summary, or with why there is none.
 * 2. A child that nobody waits for any more is cancelled.
 */
class Compaction implements RunningTool {
  readonly #order: HookActionOrder;
  readonly #callback: HookCallback;
  #asked: RunningTool | undefined;
  #child: ThreadId | undefined;
  #over = false;

  constructor(order: HookActionOrder, callback: HookCallback) {
    this.#order = order;
    this.#callback = callback;
  }

  start(): RunningTool | undefined {
    this.#attempt(() => {
      if (summedUpLength(this.#order.thread) === 0) throw new SkeinError('hook_failed', NOTHING_TO_REPLACE);
      this.#find();
    });
    return this.#over ? undefined : this;
  }

  abort(): void {
    this.#over = true;
    this.#asked?.abort();
    this.#cancelChild();
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.#fail(toFailure(thrown, 'hook_failed'));
    }
  }

  /** A runtime that was killed may have left its child: what that sums up is not paid for twice. */
  #find(): void {
    const { thread, services } = this.#order;
    const length = thread.messages.reduce((sum, { text }) => sum + text.length, 0);
    // Its place in the conversation.
    const callId = `compaction ${thread.turns} ${length}`;
    const question = { type: 'spawned', thread: thread.lineage.thread, callId } as const;
    const begin = (): void => this.#attempt(() => this.#prepare(callId));
    this.#asked = services.host.ask(question, (answer) => {
      if (!answer.ok) return this.#fail(answer.failure);
      // The host answers a `spawned` with the child, if there is one (protocol).
      const child = answer.value as SpawnedChild | undefined;
      if (child) this.#wait(child.threadId, begin);
      else begin();
    });
  }

  #prepare(callId: string): void {
    const { thread, services, hook, depth: hookDepth } = this.#order;
    const worker = { thread, services, hookDepth, mayRunAll: hook.rights === 'all' };
    prepareChild(worker, this.#request(), (prepared) => {
      if (this.#over) return;
      if (prepared.ok) this.#spawn({ ...prepared.value, own: { ...prepared.value.own, callId } });
      else this.#fail(prepared.failure);
    });
  }

  /** The model of the thread itself, unless the directive names one: it can read what it has read. */
  #request(): SpawnRequest {
    const { thread, services, action, context } = this.#order;
    const directive = compactingDirective(services.items, action);
    const model = namesModel(directive) ? directive.model : thread.plan.model.reference;
    const binding = services.providers.resolve(model);
    const { reference, contextWindow } = binding;
    const inputs = { ...action.params(context) };
    if (directive.inputs.some(({ name }) => name === CONVERSATION)) {
      const middle = thread.messages.slice(0, summedUpLength(thread) + 1);
      inputs[CONVERSATION] = conversationText(middle, contextWindow * CONVERSATION_SHARE);
    }
    if (thread.assembly && directive.inputs.some(({ name }) => name === INSTRUCTIONS)) {
      inputs[INSTRUCTIONS] = services.assembly.prompts.compaction();
    }
    return {
      directive: directive.id,
      inputs,
      limits: isSpendNamed(directive) ? undefined : { spend: nanoToUsd(CALLS * worstOf(thread, binding)) },
      model: reference,
      parent: undefined,
      outputSchema: undefined,
    };
  }

  #spawn(spec: SplitSpec): void {
    const { thread, services, depth: hookDepth } = this.#order;
    const question = { type: 'spawn', thread: thread.lineage.thread, spec: packSpec(spec) } as const;
    this.#asked = services.host.ask(question, (answer) => {
      if (!answer.ok) return this.#fail(answer.failure);
      // The host answers a `spawn` with the child's id (protocol).
      this.#child = (answer.value as { threadId: ThreadId }).threadId;
      recordChild({ thread, services, hookDepth }, { childId: this.#child, directive: spec.shared.directive });
      if (!this.#over) this.#wait(this.#child);
    });
  }

  /** `otherwise`: what is done if it was cancelled, as it is with the suspension of its thread. */
  #wait(child: ThreadId, otherwise?: () => void): void {
    const { thread, services, hook } = this.#order;
    this.#child = child;
    const question = {
      type: 'wait',
      thread: thread.lineage.thread,
      threadIds: [child],
      timeoutMs: hook.timeoutMs,
      failFast: false,
    } as const;
    this.#asked = services.host.ask(question, (answer) => {
      if (!answer.ok) return this.#fail(answer.failure);
      // The host answers a `wait` with one entry per id (protocol).
      const [waited] = answer.value as readonly WaitedThread[];
      if (otherwise && waited?.status === 'cancelled') otherwise();
      else this.#take(waited);
    });
    this.#callback.waits();
  }

  #take(waited: WaitedThread | undefined): void {
    const { ending, status = 'not_found' } = waited ?? {};
    const summary = ending?.outputs?.['summary'];
    if (status === 'completed' && typeof summary === 'string' && summary.trim() !== '') {
      this.#over = true;
      return this.#callback.done(ok({ value: { summary }, control: undefined }));
    }
    if (ending) this.#child = undefined;
    const why = ending?.error?.message ?? (status === 'completed' ? 'it has no output "summary"' : status);
    const code = status === 'timeout' ? 'deadline_exceeded' : 'hook_failed';
    this.#fail({ code, message: `${this.#order.action.itemId} did not sum up the conversation: ${why}` });
  }

  #fail(failure: Failure): void {
    this.#over = true;
    this.#cancelChild();
    // Tried is tried, by whichever hook.
    this.#order.thread.compacted = true;
    this.#callback.done(failed(failure));
  }

  #cancelChild(): void {
    const { thread, services } = this.#order;
    if (this.#child === undefined) return;
    const question = { type: 'orchestrate', operation: 'cancel_thread', input: { thread_id: this.#child } } as const;
    services.host.ask({ ...question, thread: thread.lineage.thread }, () => undefined);
    this.#child = undefined;
  }
}

/** A child is of the first directive with its id, so that it has to be the one that the hook means. */
function compactingDirective(items: Pick<ItemCache, 'parsed'>, { itemId, attributes }: HookAction): Directive {
  const { source } = readRequest(attributes).request;
  const { space, value } = items.parsed('directive', itemId);
  if (source === undefined || items.parsed('directive', itemId, source).space === space) return value;
  const message = `The directive ${itemId} is that of the space ${space} here, and can't be run from the space ${source}`;
  throw new SkeinError('not_available', message);
}

function isSpendNamed({ limits }: Directive): boolean {
  return Object.keys(limits).some((name) => (OLD_SPELLINGS[name] ?? name) === 'spend');
}

/** Of a call that reads all of the conversation. */
function worstOf({ contextTokens: inputTokens }: Thread, { price, maxOutputTokens }: ModelBinding): NanoUsd {
  return price ? worstCase({ inputTokens, maxOutputTokens, hasAudio: false }, price) : 0;
}

function namesModel({ model: { id, tier, provider } }: Directive): boolean {
  return id !== undefined || tier !== undefined || provider !== undefined;
}
