import type { ModelFailure, ModelResponse, Provider } from '../../src/core/provider.ts';
import type { Timeouts } from '../../src/providers/watchdog.ts';
import { createHandClock, type HandClock } from './hand-clock.ts';
import type { Scenario } from './model-scenario.ts';
import type { SeenRequest } from './model-server.ts';
import { createRecordingSink } from './recording-sink.ts';
import { REQUEST } from './sample-request.ts';

/** The key of every call. */
export const API_KEY = 'sk-test-0123456789abcdef';
/** The limits of every call, by a clock that stands still. */
export const TIMEOUTS: Timeouts = { firstByteMs: 1000, idleMs: 200, totalMs: 5000 };

/** A provider under test and what can be seen of its other side. */
export interface Subject extends AsyncDisposable {
  readonly provider: Provider;
  readonly server:
    | {
        readonly requests: readonly SeenRequest[];
        readonly answered: Promise<void>;
        readonly closed: Promise<void>;
        closedAll(count: number): Promise<void>;
      }
    | undefined;
}

/** Makes a provider whose model behaves as the scenario says. */
export type MakeSubject = (
  scenario: Scenario,
  around: { readonly clock: HandClock; readonly timeouts: Timeouts; readonly apiKey: string },
) => Promise<Subject>;

/** One call of a provider under test. */
export interface Run extends AsyncDisposable {
  readonly subject: Subject;
  readonly sink: ReturnType<typeof createRecordingSink>;
  readonly clock: HandClock;
  readonly call: ReturnType<Provider['call']>;
  readonly deliveredInsideCall: number;
  done(): Promise<ModelResponse>;
  failed(): Promise<ModelFailure>;
  /** Lets everything that is on its way arrive. */
  settleDown(): Promise<void>;
}

/** Starts the call that {@link REQUEST} is. */
export async function start(make: MakeSubject, scenario: Scenario, onChunk?: () => void): Promise<Run> {
  const clock = createHandClock();
  const subject = await make(scenario, { clock, timeouts: TIMEOUTS, apiKey: API_KEY });
  const sink = createRecordingSink();
  const heard = onChunk
    ? { ...sink, chunk: (chunk: Parameters<typeof sink.chunk>[0]) => (sink.chunk(chunk), onChunk()) }
    : sink;
  const call = subject.provider.call(REQUEST, heard);
  const deliveredInsideCall = sink.chunks.length + sink.ends.length;
  return {
    subject,
    sink,
    clock,
    call,
    deliveredInsideCall,
    done: async () => {
      const end = await sink.ended;
      if ('failed' in end) throw new Error(`expected an answer, got ${JSON.stringify(end.failed)}`);
      return end.done;
    },
    failed: async () => {
      const end = await sink.ended;
      if ('done' in end) throw new Error(`expected a failure, got ${JSON.stringify(end.done)}`);
      return end.failed;
    },
    settleDown: async () => {
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    },
    [Symbol.asyncDispose]: () => subject[Symbol.asyncDispose](),
  };
}
