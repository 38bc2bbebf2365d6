import type { ModelSink } from '../core/provider.ts';
import { policyOf } from './event-policies.ts';
import { createGatheredText, type GatheredText } from './gathered-text.ts';
import type { Services } from './services.ts';
import type { Thread } from './thread.ts';

/** Where a thread's model streams go. */
export interface CallSink extends ModelSink {
  /** The call broke off: what there is of it is recorded, as `emit_on_error` says. Nothing if there was no call. */
  interrupted(error: string): void;
}

/**
 * Receives a thread's model streams; one per thread, made once. What arrives is gathered and told in pieces, at most one
 * every `throttle_seconds` of its event type; nothing of it is lost (S2 §4.1).
 */
export function createModelSink(thread: Thread, services: Services): CallSink {
  const { journal, clock, eventPolicies, redactor } = services;
  const deltas = policyOf(eventPolicies, 'cognition_out_delta');
  const text = createGatheredText({ throttleMs: deltas.throttleMs ?? 0, now: clock.now, safeEnd: redactor.safeEnd });
  let thoughts: Thoughts | undefined;

  const isShown = (): boolean => !deltas.live || journal.isWatched(thread);
  const show = (isFinal: boolean): void => {
    const index = text.pieces();
    const told = isFinal ? text.take() : text.takeSafe();
    const piece = { text: told, chunk_index: index, ...(isFinal && { is_final: true }) };
    journal.record(thread, 'cognition_out_delta', piece);
  };
  const showRest = (): void => {
    const hasBegun = text.pieces() > 0 || text.all() !== '';
    if (hasBegun && isShown()) show(true);
  };

  return {
    chunk(chunk) {
      if (chunk.type === 'reasoning') return (thoughts ??= createThoughts(thread, services)).add(chunk.text);
      // Parts of a tool call and counts are not shown: the whole of them comes with the answer.
      if (chunk.type !== 'text') return;
      text.add(chunk.text);
      if (isShown() && text.isDue()) show(false);
    },
    done(response) {
      thread.call = undefined;
      showRest();
      text.clear();
      thoughts?.complete();
      thread.response = response;
      thread.send({ type: 'ANSWERED' });
    },
    failed(failure) {
      thread.call = undefined;
      thread.modelFailure = failure;
      thread.send({ type: 'CALL_FAILED' });
    },
    interrupted(error) {
      if (deltas.emitOnError) showRest();
      thoughts?.interrupted();
      recordPartialText(thread, services, { text, error });
      text.clear();
    },
  };
}

/** What the model had said before the interruption stays in the log (`emit_on_error` of `cognition_out`). */
function recordPartialText(
  thread: Thread,
  { journal, eventPolicies }: Services,
  { text, error }: { readonly text: GatheredText; readonly error: string },
): void {
  if (text.all() === '' || !policyOf(eventPolicies, 'cognition_out').emitOnError) return;
  const model = thread.plan.model.reference;
  journal.record(thread, 'cognition_out', { text: text.all(), model, is_partial: true, error });
}

type Thoughts = {
  readonly add: (chunk: string) => void;
  readonly complete: () => void;
  readonly interrupted: () => void;
};

/** A model's reasoning: one event at the end of the call, or pieces of it while it comes if it has `throttle_seconds`. */
function createThoughts(thread: Thread, { journal, clock, eventPolicies, redactor }: Services): Thoughts {
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
  };
}
