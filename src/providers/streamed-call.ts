import type { Clock } from '../core/clock.ts';
import { SkeinError } from '../core/errors.ts';
import type { ModelCall, ModelChunk, ModelResponse, ModelSink, TokenUsage } from '../core/provider.ts';
import { describeThrown, mayBePaid, oddEventFault, tellFailure, timeoutFault, type CallFault } from './call-failure.ts';
import { readEventStream, type EventReader } from './event-stream.ts';
import { startWatchdog, type Timeouts } from './watchdog.ts';

/** Builds one answer from a provider's events, and knows whether it is whole. */
export interface Assembler<Event> {
  /** Takes an event; a fault ends the call. */
  push(event: Event): CallFault | undefined;
  /** The answer, or what is missing from it. A stream that merely ended is not an answer. */
  finish(): ModelResponse | CallFault;
  /** Whether the provider has said its last word, where that is an event: only the end of the body may follow. */
  isOver?(): boolean;
  /** Whether nothing of the answer itself has come yet, where the provider may think in silence after its first events. */
  isSilent?(): boolean;
  /** What the call has used so far, also before its first event: counted where the provider said so, estimated where it did not. */
  usage(): TokenUsage;
}

/** One call on a provider's wire. */
export type StreamedCall<Event> = {
  /** Sends the request; the answer as it came. */
  open(signal: AbortSignal): Promise<Response>;
  assembler(chunk: (chunk: ModelChunk) => void): Assembler<Event>;
  /** What the SDK threw, or what the provider sent as an error, as data; default {@link describeThrown}. */
  readonly describe?: (thrown: unknown) => CallFault;
  /** Removed from every failure. */
  readonly secret: string | undefined;
};

/** What a call needs from its surroundings. */
export type CallScope = {
  readonly sink: ModelSink;
  readonly clock: Clock;
  readonly timeouts: Timeouts;
  /** Ends the request of an aborted call, soon: see `createCloser`. */
  readonly closeSoon: (close: () => void) => void;
};

/**
 * Runs one streamed call. Invariants:
 * 1. The sink hears exactly one of `done` and `failed`, last, unless the call is aborted; then nothing more.
 * 2. However the call ends, its timer is cleared, and its request is finished, or aborted at the latest soon after.
 * 3. `done` only for an answer the assembler calls whole.
 * 4. A call is taken to be paid for unless it was refused or never arrived, also where nothing of its answer came.
 */
export function startStreamedCall<Event>(wire: StreamedCall<Event>, scope: CallScope): ModelCall {
  const { sink, clock, timeouts, closeSoon } = scope;
  const describe = wire.describe ?? describeThrown;
  const request = new AbortController();
  let open = true;
  let ending = false;
  let begun = false;
  const { assembler, take } = createTaker(wire, (chunk) => {
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
    if ('finishReason' in outcome) return sink.done(outcome);
    const usage = begun || mayBePaid(outcome) ? assembler.usage() : undefined;
    sink.failed({ ...tellFailure(outcome, wire.secret), usage });
  };
  const watchdog = startWatchdog(clock, timeouts, (kind, afterMs) => {
    request.abort();
    settle(ending ? assembler.finish() : timeoutFault(kind, afterMs));
  });
  const reader: EventReader = {
    alive: () => watchdog.alive(assembler.isSilent?.()),
    push: (event) => {
      begun = true;
      const wasSilent = assembler.isSilent?.();
      // What it throws behind the last word breaks nothing: see `pump`.
      const fault = ending ? assembler.push(event as Event) : take(event);
      if (fault || ending) return fault;
      if (assembler.isOver?.()) reader.ending();
      else if (wasSilent && !assembler.isSilent?.()) watchdog.alive();
      return undefined;
    },
    ending: () => {
      ending = true;
      watchdog.ending();
    },
    describe,
  };

  const pump = async (): Promise<ModelResponse | CallFault> => {
    try {
      return (await readEventStream(await wire.open(request.signal), reader)) ?? assembler.finish();
    } catch (thrown) {
      return ending ? assembler.finish() : describe(thrown);
    }
  };
  // Not awaited: `pump` never rejects, so a rejection here is a bug in the sink and must surface.
  void pump().then(settle);

  return {
    abort: () => {
      if (!close()) return undefined;
      closeSoon(() => request.abort());
      return assembler.usage();
    },
  };
}

type Taker<Event> = {
  readonly assembler: Assembler<Event>;
  /** Has the assembler take what came; an event that it can't read is a fault. Throws what is not the event's fault. */
  readonly take: (event: unknown) => CallFault | undefined;
};

function createTaker<Event>(wire: StreamedCall<Event>, tell: (chunk: ModelChunk) => void): Taker<Event> {
  let telling = false;
  const assembler = wire.assembler((chunk) => {
    telling = true;
    tell(chunk);
    telling = false;
  });
  const take = (event: unknown): CallFault | undefined => {
    try {
      // What an event really is, the assembler finds out.
      return assembler.push(event as Event);
    } catch (thrown) {
      if (telling || thrown instanceof SkeinError) throw thrown;
      return oddEventFault(event, thrown);
    }
  };
  return { assembler, take };
}
