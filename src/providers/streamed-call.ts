import type { Clock } from '../core/clock.ts';
import type { ModelCall, ModelChunk, ModelResponse, ModelSink, TokenUsage } from '../core/provider.ts';
import type { CallFault } from './call-failure.ts';
import { describeThrown, timeoutFault, withoutSecret } from './call-failure.ts';
import type { Timeouts } from './watchdog.ts';
import { startWatchdog } from './watchdog.ts';

/** Builds one answer from a provider's events, and knows whether it is whole. */
export interface Assembler<Event> {
  /** Takes an event; a fault ends the call. */
  push(event: Event): CallFault | undefined;
  /** The answer, or what is missing from it. A stream that merely ended is not an answer. */
  finish(): ModelResponse | CallFault;
  /** What the call has used so far: counted where the provider said so, estimated where it did not. */
  usage(): TokenUsage | undefined;
}

/** One call on a provider's wire. */
export type WireCall<Event> = {
  /** Sends the request; `alive` is to be called for every piece that arrives. */
  open(signal: AbortSignal, alive: () => void): Promise<AsyncIterable<Event>>;
  assembler(chunk: (chunk: ModelChunk) => void): Assembler<Event>;
  /** What the SDK threw, as data; default {@link describeThrown}. */
  readonly describe?: (thrown: unknown) => CallFault;
  /** Removed from every failure. */
  readonly secret: string | undefined;
};

/** What a call needs from its surroundings. */
export type CallScope = { readonly sink: ModelSink; readonly clock: Clock; readonly timeouts: Timeouts };

/**
 * Runs one streamed call. Invariants:
 * 1. The sink hears exactly one of `done` and `failed`, last, unless the call is aborted; then nothing more.
 * 2. However the call ends, its request is aborted or finished and its timer cleared.
 * 3. `done` only for an answer the assembler calls whole.
 */
export function startStreamedCall<Event>(wire: WireCall<Event>, scope: CallScope): ModelCall {
  const { sink, clock, timeouts } = scope;
  const request = new AbortController();
  let open = true;
  const assembler = wire.assembler((chunk) => {
    if (open) sink.chunk(chunk);
  });

  const close = (): boolean => {
    const wasOpen = open;
    open = false;
    watchdog.stop();
    return wasOpen;
  };
  const settle = (outcome: ModelResponse | CallFault): void => {
    if (!close()) return;
    if ('finishReason' in outcome) sink.done(outcome);
    else sink.failed({ ...withoutSecret(outcome, wire.secret), usage: assembler.usage() });
  };
  const watchdog = startWatchdog(clock, timeouts, (kind, afterMs) => {
    request.abort();
    settle(timeoutFault(kind, afterMs));
  });

  const pump = async (): Promise<ModelResponse | CallFault> => {
    try {
      const events = await wire.open(request.signal, () => watchdog.alive());
      for await (const event of events) {
        watchdog.alive();
        const broken = assembler.push(event);
        if (broken) return broken;
      }
      return assembler.finish();
    } catch (thrown) {
      return (wire.describe ?? describeThrown)(thrown);
    }
  };
  // Not awaited: `pump` never rejects, so a rejection here is a bug in the sink and must surface.
  void pump().then(settle);

  return {
    abort: () => {
      if (!close()) return undefined;
      request.abort();
      return assembler.usage();
    },
  };
}
