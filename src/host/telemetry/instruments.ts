import type { Counter, Histogram, Meter, ObservableUpDownCounter } from '@opentelemetry/api';

/** Bounds of the GenAI conventions, in seconds. */
const CALL_SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864];
/** From a hook that looks something up to a thread that works for an hour. */
const WORK_SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];

/** The instruments of a runtime: those of the GenAI conventions, and its own as `skein.*`. */
export type Instruments = {
  readonly callDuration: Histogram;
  readonly firstChunk: Histogram;
  readonly tokens: Histogram;
  readonly threadDuration: Histogram;
  readonly toolDuration: Histogram;
  readonly turnDuration: Histogram;
  readonly hookDuration: Histogram;
  readonly queueTime: Histogram;
  readonly eventLag: Histogram;
  readonly spend: Counter;
  readonly retries: Counter;
  readonly rests: Counter;
  readonly dropped: Counter;
  readonly threads: ObservableUpDownCounter;
};

/** Makes the instruments. */
export function createInstruments(meter: Meter): Instruments {
  const seconds = (name: string, description: string, explicitBucketBoundaries = WORK_SECONDS) =>
    meter.createHistogram(name, { unit: 's', description, advice: { explicitBucketBoundaries } });
  const counter = (name: string, unit: string, description: string) => meter.createCounter(name, { unit, description });
  return {
    callDuration: seconds('gen_ai.client.operation.duration', 'Duration of a call of a model', CALL_SECONDS),
    firstChunk: seconds(
      'gen_ai.client.operation.time_to_first_chunk',
      'Time from a request to the first words',
      CALL_SECONDS,
    ),
    tokens: meter.createHistogram('gen_ai.client.token.usage', {
      unit: '{token}',
      description: 'Tokens of a call of a model',
      advice: { explicitBucketBoundaries: TOKENS },
    }),
    threadDuration: seconds('gen_ai.invoke_agent.duration', 'Duration of a thread, from one rest to the next'),
    toolDuration: seconds('gen_ai.execute_tool.duration', 'Duration of a call of a tool'),
    turnDuration: seconds('skein.turn.duration', 'Duration of a turn: the calls of its model and of its tools'),
    hookDuration: seconds('skein.hook.duration', 'Duration of the actions of a hook'),
    queueTime: seconds('skein.thread.queue_time', 'Time from the admission of a thread to its start'),
    eventLag: seconds('skein.event.lag', 'Time from an event to its arrival at the host'),
    spend: counter('skein.spend', '{USD}', 'What calls of models have cost'),
    retries: counter('skein.model_call.retries', '{retry}', 'Calls of models that are made again'),
    rests: counter('skein.thread.rests', '{thread}', 'Threads that ended, handed over or were suspended'),
    dropped: counter('skein.telemetry.dropped', '{thread}', 'Threads that are not traced, since too many are'),
    threads: meter.createObservableUpDownCounter('skein.threads', {
      unit: '{thread}',
      description: 'Threads that run, wait for others, or stand in line',
    }),
  };
}
