import type { ModelSink } from '../core/provider.ts';
import type { Services } from './services.ts';
import type { Thread } from './thread.ts';

/**
 * Receives a thread's model streams; one per thread, made once. Text is collected for the case of an interruption, and
 * shown to watchers at most every `throttle_seconds` of `cognition_out_delta`.
 */
export function createModelSink(thread: Thread, { journal, clock, config }: Services): ModelSink {
  const throttleMs = (config.events.eventTypes['cognition_out_delta']?.emitConfig?.throttleSeconds ?? 0) * 1000;
  let shown = 0;
  let chunkIndex = 0;
  let lastShownAt = 0;
  let reasoning = '';

  const show = (): void => {
    const text = thread.partialText.slice(shown);
    if (text === '') return;
    shown = thread.partialText.length;
    lastShownAt = clock.now();
    journal.record(thread, 'cognition_out_delta', { text, chunk_index: chunkIndex++ });
  };
  const end = (): void => {
    if (journal.isWatched(thread)) show();
    if (reasoning !== '') journal.record(thread, 'cognition_reasoning', { text: reasoning });
    reasoning = '';
    shown = 0;
    chunkIndex = 0;
    thread.call = undefined;
  };

  return {
    chunk(chunk) {
      if (chunk.type === 'reasoning') {
        reasoning += chunk.text;
        return;
      }
      thread.partialText += chunk.text;
      if (journal.isWatched(thread) && clock.now() - lastShownAt >= throttleMs) show();
    },
    done(response) {
      end();
      thread.response = response;
      thread.send({ type: 'ANSWERED' });
    },
    failed(failure) {
      end();
      thread.modelFailure = failure;
      thread.send({ type: 'CALL_FAILED' });
    },
  };
}
