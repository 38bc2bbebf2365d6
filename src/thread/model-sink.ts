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
  const { journal, clock, eventPolicies } = services;
  const deltas = policyOf(eventPolicies, 'cognition_out_delta');
  const text = createGatheredText(deltas.throttleMs ?? 0, clock.now);
  let thoughts: Thoughts | undefined;
  /** Of the tool calls that have come, estimated. */
  let toolTokens = 0;

  const isShown = (): boolean => !deltas.live || journal.isWatched(thread);
  const show = (more?: Pick<EventPayloads['cognition_out_delta'], 'is_final' | 'tool_call'>): void => {
    const index = text.pieces();
    journal.record(thread, 'cognition_out_delta', { text: text.take(), chunk_index: index, ...more });
  };
  const showRest = (): void => {
    const hasBegun = text.pieces() > 0 || text.all() !== '';
    if (hasBegun && isShown()) show({ is_final: true });
  };
  const clear = (): void => {
    text.clear();
    toolTokens = 0;
  };

  return {
    chunk(chunk) {
      switch (chunk.type) {
        case 'text':
          text.add(chunk.text);
          if (isShown() && text.isDue()) show();
          return;
        case 'reasoning':
          return (thoughts ??= createThoughts(thread, services)).add(chunk.text);
        case 'tool_call':
          // Not shown: a piece of a call says nothing.
          toolTokens += estimateTextTokens(chunk.json);
          return;
        case 'tool_ready':
          if (isShown()) show({ tool_call: chunk.call });
          return;
        case 'usage':
          // What it says in the end comes with the end.
          return;
      }
    },
    done(response) {
      thread.call = undefined;
      showRest();
      clear();
      thoughts?.complete();
      thread.response = response;
      thread.send({ type: 'ANSWERED' });
    },
    failed(failure) {
      thread.call = undefined;
      thread.modelFailure = failure;
      thread.send({ type: 'CALL_FAILED' });
    },
    interrupted(error, usage) {
      const said = text.all();
      const arrived = toolTokens + estimateTextTokens(said) + estimateTextTokens(thoughts?.all() ?? '');
      if (deltas.emitOnError) showRest();
      thoughts?.interrupted();
      clear();
      if (arrived === 0) return;
      recordPartial(thread, services, { text: said, error, outputTokens: usage?.outputTokens || arrived });
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

type Thoughts = {
  readonly add: (chunk: string) => void;
  readonly complete: () => void;
  readonly interrupted: () => void;
  /** What the model has thought in this call. */
  readonly all: () => string;
};

/** A model's reasoning: one event at the end of the call, or pieces of it while it comes if it has `throttle_seconds`. */
function createThoughts(thread: Thread, { journal, clock, eventPolicies }: Services): Thoughts {
  const policy = policyOf(eventPolicies, 'cognition_reasoning');
  const gathered = createGatheredText(policy.throttleMs ?? Number.POSITIVE_INFINITY, clock.now);
  const inPieces = policy.throttleMs !== undefined;
  return {
    add(chunk) {
      gathered.add(chunk);
      const isShown = inPieces && (!policy.live || journal.isWatched(thread));
      if (isShown && gathered.isDue()) {
        journal.record(thread, 'cognition_reasoning', { text: gathered.take(), is_partial: true });
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
    all: gathered.all,
  };
}
