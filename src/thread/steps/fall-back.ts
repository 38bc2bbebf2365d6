import { messageOf } from '../../core/errors.ts';
import type { ModelBinding } from '../../providers/provider-registry.ts';
import { fullShare } from '../conversation/context-size.ts';
import type { InWorker } from '../conversation/conversation.ts';
import { countPalette } from '../plan/plan.ts';
import { priceWarning } from '../plan/start-warnings.ts';

/**
 * The next model of the thread's chain that can go on with its conversation; undefined = none is left. Each is asked once:
 * one that can't is passed over with a warning, for good.
 */
export function nextModel(worker: InWorker): ModelBinding | undefined {
  const { thread } = worker;
  for (;;) {
    const reference = thread.spec.shared.fallbacks?.[thread.fallbacksUsed];
    if (reference === undefined) return undefined;
    const model = usable(worker, reference);
    if (model) return model;
    thread.fallbacksUsed++;
  }
}

/**
 * Goes on with another model: its price, its window and its provider's back-off count from here on, and attempts are counted
 * anew. It stays with it: a conversation that changes its model with every turn is in nobody's cache.
 */
export function fallBack({ thread, services }: InWorker, model: ModelBinding, why: string): void {
  const { journal } = services;
  const message = `${thread.plan.model.reference} failed (${why}): the thread goes on with ${model.reference}`;
  journal.record(thread, 'warning', { code: 'provider_failed', message });
  for (const warning of priceWarning(model)) journal.record(thread, 'warning', warning);
  thread.fallbacksUsed++;
  thread.fellBackAt = thread.turns;
  thread.attempt = 0;
  thread.refusals = 0;
  // Counted by another provider's measure: from the difference this model's counter would learn what is not so.
  thread.knownTokens = undefined;
  // A plan is shared with other threads, which may have got an answer.
  thread.plan = { ...thread.plan, model, paletteTokens: countPalette(thread.plan.palette, model) };
  thread.send({ type: 'FALL_BACK' });
}

/** What is known of the model, if it may be called and the conversation is short enough for it. */
function usable({ thread, services }: InWorker, reference: string): ModelBinding | undefined {
  const { journal, config, providers } = services;
  const passOver = (message: string): undefined => {
    const whole = `The fallback model ${reference} is passed over: ${message}`;
    journal.record(thread, 'warning', { code: 'not_available', message: whole });
  };
  try {
    const model = providers.resolve(reference);
    const room = model.contextWindow * fullShare(config);
    if (thread.contextTokens < room) return model;
    return passOver(`the conversation takes about ${thread.contextTokens} tokens, and it has room for ${room}`);
  } catch (thrown) {
    return passOver(messageOf(thrown));
  }
}
