import type { Clock, Timer } from '../core/clock.ts';
import type { ModelCall, ModelSink, TokenUsage } from '../core/provider.ts';
import type { Outcome } from './scripted-answer.ts';

/**
 * Delivers a scripted outcome. Nothing is delivered inside this call: without a delay everything arrives with the next
 * turn of the event loop (`setImmediate`, so that a script cannot starve cancels and other threads), with a delay the
 * pieces arrive evenly spread, the last together with the end.
 */
export function deliver(outcome: Outcome, sink: ModelSink, clock: Clock): ModelCall {
  const delivery = new Delivery(outcome, sink, clock);
  delivery.start();
  return delivery;
}

/** Owns one call's timer and its progress. At most one timer at a time; none without a delay. */
class Delivery implements ModelCall {
  readonly #outcome: Outcome;
  readonly #sink: ModelSink;
  readonly #clock: Clock;
  readonly #pieces: number;
  #delivered = 0;
  #open = true;
  #timer: Timer | undefined;

  constructor(outcome: Outcome, sink: ModelSink, clock: Clock) {
    this.#outcome = outcome;
    this.#sink = sink;
    this.#clock = clock;
    this.#pieces = Math.min(outcome.chunks, outcome.text.length);
  }

  start(): void {
    if (this.#outcome.delayMs > 0) this.#wait();
    else setImmediate(() => this.#deliverAll());
  }

  abort(): TokenUsage | undefined {
    if (!this.#open) return undefined;
    this.#open = false;
    if (this.#timer !== undefined) this.#clock.clearTimer(this.#timer);
    const { usage } = this.#outcome;
    const share = this.#pieces === 0 ? 0 : this.#delivered / this.#pieces;
    return { ...usage, outputTokens: Math.ceil(usage.outputTokens * share) };
  }

  #wait(): void {
    const steps = Math.max(1, this.#pieces);
    this.#timer = this.#clock.setTimer(this.#outcome.delayMs / steps, () => {
      this.#timer = undefined;
      if (this.#delivered < this.#pieces) this.#deliverPiece();
      // The sink may have aborted inside the chunk.
      if (!this.#open) return;
      if (this.#delivered < this.#pieces) this.#wait();
      else this.#end();
    });
  }

  #deliverAll(): void {
    while (this.#open && this.#delivered < this.#pieces) this.#deliverPiece();
    if (this.#open) this.#end();
  }

  #deliverPiece(): void {
    const { text } = this.#outcome;
    const from = this.#boundary(this.#delivered);
    this.#delivered += 1;
    const piece = text.slice(from, this.#boundary(this.#delivered));
    if (piece !== '') this.#sink.chunk({ type: 'text', text: piece });
  }

  /** Where piece `at` begins; never inside a surrogate pair. */
  #boundary(at: number): number {
    const { text } = this.#outcome;
    const position = Math.round((text.length * at) / this.#pieces);
    const code = text.charCodeAt(position);
    return code >= 0xdc00 && code <= 0xdfff ? position - 1 : position;
  }

  #end(): void {
    this.#open = false;
    const { end } = this.#outcome;
    if ('response' in end) this.#sink.done(end.response);
    else this.#sink.failed(end.failure);
  }
}
