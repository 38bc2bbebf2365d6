import type { Clock, Timer } from '../core/clock.ts';
import type { ModelCall, ModelResponse, ModelSink, TokenUsage } from '../core/provider.ts';
import { cutFault, type CallFault } from './call-failure.ts';
import { cutCall } from './cut-call.ts';
import { pieceEnd } from './split-text.ts';
import { cutInput, type Outcome, type ScriptedBreak } from './scripted-answer.ts';

/**
 * Delivers a scripted outcome. Nothing is delivered inside this call: without a delay everything arrives with the next
 * turn of the event loop (`setImmediate`, so that a script cannot starve cancels and other threads), with a delay the
 * pieces arrive evenly spread, the last together with the end; all that are due at one time, at once: machines' timers are
 * coarser than the pieces of a long text.
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
  /** Piece after which the answer ends or breaks off. */
  readonly #last: number;
  #delivered = 0;
  #startedAt = 0;
  #open = true;
  #timer: Timer | undefined;

  constructor(outcome: Outcome, sink: ModelSink, clock: Clock) {
    this.#outcome = outcome;
    this.#sink = sink;
    this.#clock = clock;
    this.#pieces = Math.min(outcome.chunks, outcome.text.length);
    const { broken } = outcome;
    this.#last = broken && 'afterChunks' in broken ? Math.min(this.#pieces, broken.afterChunks) : this.#pieces;
  }

  start(): void {
    if (this.#outcome.delayMs <= 0) return void setImmediate(() => this.#deliverUpTo(this.#last));
    this.#startedAt = this.#clock.stopwatch();
    this.#wait(0);
  }

  abort(): TokenUsage | undefined {
    if (!this.#open) return undefined;
    this.#open = false;
    if (this.#timer !== undefined) this.#clock.clearTimer(this.#timer);
    const { usage } = this.#outcome;
    const share = this.#pieces === 0 ? 0 : this.#delivered / this.#pieces;
    return { ...usage, outputTokens: Math.ceil(usage.outputTokens * share) };
  }

  #wait(passedMs: number): void {
    const stepMs = this.#outcome.delayMs / Math.max(1, this.#pieces);
    const next = this.#delivered + 1;
    this.#timer = this.#clock.setTimer(Math.max(0, next * stepMs - passedMs), () => {
      this.#timer = undefined;
      // The next one is, whatever rounding makes of the time.
      const due = Math.max(next, Math.floor(this.#passedMs() / stepMs));
      this.#deliverUpTo(Math.min(this.#last, due));
    });
  }

  #passedMs(): number {
    return this.#clock.stopwatch() - this.#startedAt;
  }

  /** The sink may abort inside a chunk. */
  #deliverUpTo(due: number): void {
    while (this.#open && this.#delivered < due) this.#deliverPiece();
    if (!this.#open) return;
    if (this.#delivered < this.#last) this.#wait(this.#passedMs());
    else this.#end();
  }

  #deliverPiece(): void {
    this.#thinkAloud();
    if (!this.#open) return;
    const { text } = this.#outcome;
    const from = this.#delivered === 0 ? 0 : pieceEnd(text, this.#delivered - 1, this.#pieces);
    const piece = text.slice(from, pieceEnd(text, this.#delivered, this.#pieces));
    this.#delivered += 1;
    if (piece !== '') this.#sink.chunk({ type: 'text', text: piece });
  }

  /** Before the first piece; an answer without text has none, and one that breaks before it nothing at all. */
  #thinkAloud(): void {
    const { reasoning, chunks, broken } = this.#outcome;
    const isSilent = chunks === 0 || (broken && 'afterChunks' in broken && broken.afterChunks === 0);
    if (reasoning === '' || isSilent || this.#delivered > 0) return;
    this.#sink.chunk({ type: 'reasoning', text: reasoning });
  }

  #end(): void {
    this.#thinkAloud();
    if (!this.#open) return;
    const { end, broken } = this.#outcome;
    if (broken && broken.how !== 'cut_tool') return this.#breakOff(broken);
    this.#open = false;
    if ('response' in end) this.#sink.done(broken ? withCutCall(end.response) : end.response);
    else this.#sink.failed(end.failure);
  }

  #breakOff({ how }: BrokenStream): void {
    // Nothing more comes, and nobody says so: whoever waits has to abort.
    if (how === 'stall') return;
    const usage = this.abort();
    this.#sink.failed({ ...faultOf(how), usage });
  }
}

type BrokenStream = Exclude<ScriptedBreak, { how: 'cut_tool' }>;

/** What an adapter makes of an answer that breaks so. */
function faultOf(how: Exclude<BrokenStream['how'], 'stall'>): CallFault {
  return cutFault(`the script breaks it (${how})`);
}

/** What an adapter makes of an answer whose limit has cut its last call off. */
function withCutCall(response: ModelResponse): ModelResponse {
  const toolCalls = response.toolCalls.map((call, at, { length }) => {
    const { id, name, input } = call;
    return at === length - 1 ? cutCall({ id, name, json: cutInput(JSON.stringify(input)) }) : call;
  });
  return { ...response, toolCalls };
}
