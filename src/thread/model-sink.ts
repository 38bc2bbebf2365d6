import type { ToolCall } from '../core/conversation.ts';
import type { EventPayloads } from '../core/events.ts';
import type { ModelSink, TokenUsage } from '../core/provider.ts';
import { estimateTextTokens } from '../providers/pricing.ts';
import { policyOf } from './event-policies.ts';
import { createGatheredText } from './gathered-text.ts';
import type { Services } from './services.ts';
import type { Thread } from './thread.ts';

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
  const words = createWords(thread, services);
  let thoughts: Told | undefined;
  /** Of the tool calls that have come, estimated. */
  let toolTokens = 0;
  return {
    chunk(chunk) {
      switch (chunk.type) {
        case 'text':
          return words.add(chunk.text);
        case 'reasoning':
          return (thoughts ??= createThoughts(thread, services)).add(chunk.text);
        case 'tool_call':
          // Not shown: a piece of a call says nothing.
          toolTokens += estimateTextTokens(chunk.json);
          return;
        case 'tool_ready':
          return words.call(chunk.call);
        case 'usage':
          // What it says in the end comes with the end.
          return;
      }
    },
    done(response) {
      thread.call = undefined;
      words.complete();
      thoughts?.complete();
      toolTokens = 0;
      thread.response = response;
      thread.send({ type: 'ANSWERED' });
    },
    failed(failure) {
      thread.call = undefined;
      thread.modelFailure = failure;
      thread.send({ type: 'CALL_FAILED' });
    },
    interrupted(error, usage) {
      const text = words.all();
      const arrived = toolTokens + estimateTextTokens(text) + estimateTextTokens(thoughts?.all() ?? '');
      words.interrupted();
      thoughts?.interrupted();
      toolTokens = 0;
      if (arrived === 0) return;
      recordPartial(thread, services, { text, error, outputTokens: usage?.outputTokens || arrived });
    },
  };
}

type Partial = { readonly text: string; readonly error: string; readonly outputTokens: number };

/** What the model had said before the interruption stays in the log (`emit_on_error` of `cognition_out`). */
function recordPartial(thread: Thread, { journal, eventPolicies }: Services, partial: Partial): void {
  if (!policyOf(eventPolicies, 'cognition_out').emitOnError) return;
  const { reference, maxOutputTokens } = thread.plan.model;
  const { text, error, outputTokens } = partial;
  journal.record(thread, 'cognition_out', {
    text,
    model: reference,
    is_partial: true,
    truncated: true,
    error,
    completion_percentage: Math.min(100, (100 * outputTokens) / maxOutputTokens),
  });
}

/** What a model says in one call after the other, told in pieces. */
type Told = {
  readonly add: (chunk: string) => void;
  readonly complete: () => void;
  readonly interrupted: () => void;
  /** All of the call so far. */
  readonly all: () => string;
};

/** A model's reply, in pieces while it comes; its tool calls as each is complete. */
function createWords(
  thread: Thread,
  { journal, clock, eventPolicies, redactor }: Services,
): Told & { readonly call: (call: ToolCall) => void } {
  const policy = policyOf(eventPolicies, 'cognition_out_delta');
  const throttleMs = policy.throttleMs ?? 0;
  const gathered = createGatheredText({ throttleMs, now: clock.now, safeEnd: redactor.safeEnd });
  const isShown = (): boolean => !policy.live || journal.isWatched(thread);
  const show = (more?: Pick<EventPayloads['cognition_out_delta'], 'is_final' | 'tool_call'>): void => {
    const index = gathered.pieces();
    const text = more?.is_final ? gathered.take() : gathered.takeSafe();
    journal.record(thread, 'cognition_out_delta', { text, chunk_index: index, ...more });
  };
  const end = (isTold: boolean): void => {
    const hasBegun = gathered.pieces() > 0 || gathered.all() !== '';
    if (isTold && hasBegun && isShown()) show({ is_final: true });
    gathered.clear();
  };
  return {
    add(chunk) {
      gathered.add(chunk);
      if (isShown() && gathered.isDue()) show();
    },
    call(call) {
      if (isShown()) show({ tool_call: call });
    },
    complete: () => end(true),
    interrupted: () => end(policy.emitOnError),
    all: () => gathered.all(),
  };
}

/** A model's reasoning: one event at the end of the call, or pieces of it while it comes if it has `throttle_seconds`. */
function createThoughts(thread: Thread, { journal, clock, eventPolicies, redactor }: Services): Told {
  const policy = policyOf(eventPolicies, 'cognition_reasoning');
  const throttleMs = policy.throttleMs ?? Number.POSITIVE_INFINITY;
  const gathered = createGatheredText({ throttleMs, now: clock.now, safeEnd: redactor.safeEnd });
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
