import type { ToolCall } from '../../core/conversation.ts';
import type { EventPayloads } from '../../core/events.ts';
import type { ModelChunk, ModelFailure, ModelResponse, ModelSink, TokenUsage } from '../../core/provider.ts';
import { estimateTextTokens } from '../../providers/pricing.ts';
import { policyOf, type EventPolicy } from './event-policies.ts';
import { createGatheredText, type GatheredText } from './gathered-text.ts';
import type { Services } from './services.ts';
import type { Thread } from '../thread.ts';

/** Where a thread's model streams go. */
export interface CallSink extends ModelSink {
  /**
   * The call broke off: what there is of it is recorded, as `emit_on_error` says. Nothing if nothing had come. `usage` is
   * what the provider says of it.
   */
  interrupted(error: string, usage: TokenUsage | undefined): void;
}

/**
 * Receives a thread's model streams; one per thread, made once. What arrives is gathered and told in pieces, at most one
 * every `throttle_seconds` of its event type; nothing of it is lost (S2 §4.1). A tool call is told as soon as it is
 * complete, and runs when the whole answer is there.
 */
export function createModelSink(thread: Thread, services: Services): CallSink {
  return new ThreadSink(thread, services);
}

/** A class, as what it is made of: every thread has one, for as long as it lives. */
class ThreadSink implements CallSink {
  readonly #thread: Thread;
  readonly #services: Services;
  readonly #words: Words;
  #thoughts: Told | undefined;
  /** Of the tool calls that have come, estimated. */
  #toolTokens = 0;

  constructor(thread: Thread, services: Services) {
    this.#thread = thread;
    this.#services = services;
    this.#words = new Words(thread, services);
  }

  chunk(chunk: ModelChunk): void {
    switch (chunk.type) {
      case 'text':
        return this.#words.add(chunk.text);
      case 'reasoning':
        return (this.#thoughts ??= createThoughts(this.#thread, this.#services)).add(chunk.text);
      case 'tool_call':
        // Not shown: a piece of a call says nothing.
        this.#toolTokens += estimateTextTokens(chunk.json);
        return;
      case 'tool_ready':
        return this.#words.call(chunk.call);
      case 'usage':
        // What it says in the end comes with the end.
        return;
    }
  }

  done(response: ModelResponse): void {
    this.#thread.call = undefined;
    this.#words.complete();
    this.#thoughts?.complete();
    this.#toolTokens = 0;
    this.#thread.response = response;
    this.#thread.send({ type: 'ANSWERED' });
  }

  failed(failure: ModelFailure): void {
    this.#thread.call = undefined;
    this.#thread.modelFailure = failure;
    this.#thread.send({ type: 'CALL_FAILED' });
  }

  interrupted(error: string, usage: TokenUsage | undefined): void {
    const text = this.#words.all();
    const arrived = this.#toolTokens + estimateTextTokens(text) + estimateTextTokens(this.#thoughts?.all() ?? '');
    this.#words.interrupted();
    this.#thoughts?.interrupted();
    this.#toolTokens = 0;
    if (arrived === 0) return;
    const outputTokens = usage?.outputTokens || arrived;
    recordPartial(this.#thread, this.#services, { text, error, outputTokens });
  }
}

type Partial = { readonly text: string; readonly error: string; readonly outputTokens: number };

/** What the model had said before the interruption stays in the log (`emit_on_error` of `cognition_out`). */
function recordPartial(thread: Thread, { journal, eventPolicies }: Services, partial: Partial): void {
  if (!policyOf(eventPolicies, 'cognition_out').emitOnError) return;
  const { reference } = thread.plan.model;
  const { text, error, outputTokens } = partial;
  journal.record(thread, 'cognition_out', {
    text,
    model: reference,
    is_partial: true,
    truncated: true,
    error,
    completion_percentage: Math.min(100, (100 * outputTokens) / thread.maxOutputTokens),
  });
}

/** What a model says in one call after the other, told in pieces. */
type Told = {
  add(chunk: string): void;
  complete(): void;
  interrupted(): void;
  /** All of the call so far. */
  all(): string;
};

/** A model's reply, in pieces while it comes; its tool calls as each is complete. */
class Words implements Told {
  readonly #thread: Thread;
  readonly #journal: Services['journal'];
  readonly #policy: EventPolicy;
  readonly #gathered: GatheredText;

  constructor(thread: Thread, { journal, clock, eventPolicies, redactor }: Services) {
    this.#thread = thread;
    this.#journal = journal;
    this.#policy = policyOf(eventPolicies, 'cognition_out_delta');
    const throttleMs = this.#policy.throttleMs ?? 0;
    this.#gathered = createGatheredText({ throttleMs, now: clock.stopwatch, safeEnd: redactor.safeEnd });
  }

  add(chunk: string): void {
    this.#gathered.add(chunk);
    if (this.#isShown() && this.#gathered.isDue()) this.#show();
  }

  call(call: ToolCall): void {
    if (this.#isShown()) this.#show({ tool_call: call });
  }

  complete(): void {
    this.#end(true);
  }

  interrupted(): void {
    this.#end(this.#policy.emitOnError);
  }

  all(): string {
    return this.#gathered.all();
  }

  #isShown(): boolean {
    return !this.#policy.live || this.#journal.isWatched(this.#thread);
  }

  #show(more?: Pick<EventPayloads['cognition_out_delta'], 'is_final' | 'tool_call'>): void {
    const index = this.#gathered.pieces();
    const text = more?.is_final ? this.#gathered.take() : this.#gathered.takeSafe();
    this.#journal.record(this.#thread, 'cognition_out_delta', { text, chunk_index: index, ...more });
  }

  #end(isTold: boolean): void {
    const hasBegun = this.#gathered.pieces() > 0 || this.#gathered.all() !== '';
    if (isTold && hasBegun && this.#isShown()) this.#show({ is_final: true });
    this.#gathered.clear();
  }
}

/** A model's reasoning: one event at the end of the call, or pieces of it while it comes if it has `throttle_seconds`. */
function createThoughts(thread: Thread, { journal, clock, eventPolicies, redactor }: Services): Told {
  const policy = policyOf(eventPolicies, 'cognition_reasoning');
  const throttleMs = policy.throttleMs ?? Number.POSITIVE_INFINITY;
  const gathered = createGatheredText({ throttleMs, now: clock.stopwatch, safeEnd: redactor.safeEnd });
  const inPieces = policy.throttleMs !== undefined;
  return {
    add(chunk) {
      gathered.add(chunk);
      const isShown = inPieces && (!policy.live || journal.isWatched(thread));
      if (isShown && gathered.isDue()) {
        journal.record(thread, 'cognition_reasoning', { text: gathered.takeSafe(), is_partial: true });
      }
    },
    complete() {
      const rest = gathered.take();
      gathered.clear();
      if (rest !== '') journal.record(thread, 'cognition_reasoning', { text: rest });
    },
    interrupted() {
      const rest = gathered.take();
      const text = policy.accumulateOnError ? gathered.all() : rest;
      gathered.clear();
      if (text === '' || !policy.emitOnError) return;
      journal.record(thread, 'cognition_reasoning', { text, is_partial: true, was_interrupted: true });
    },
    all: () => gathered.all(),
  };
}
