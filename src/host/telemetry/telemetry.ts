import { context, metrics, trace, type Context, type ObservableResult } from '@opentelemetry/api';
import { SkeinError, toFailure, messageOf } from '../../core/errors.ts';
import type { ThreadId } from '../../core/ids.ts';
import type { Lineage } from '../../core/protocol.ts';
import type { Redactor } from '../../core/redactor.ts';
import type { HostContext } from '../host-context.ts';
import { checkChoice, checkFunction, refusedArgument } from '../handle/argument-types.ts';
import { checkOptionNames } from '../handle/option-names.ts';
import { describeStored } from './describe-stored.ts';
import { createInstruments } from './instruments.ts';
import type { TelemetryOptions } from './telemetry-options.ts';
import { ThreadTraces, type Asked } from './thread-traces.ts';

/** A runtime's telling of what it does to OpenTelemetry. */
export interface Telemetry {
  /** Where a span is active now. Undefined if none is. */
  caller(): Context | undefined;
  /** A thread is admitted. Returns the `traceparent` that is stored with it; undefined if its span is below none. */
  admit(lineage: Lineage, asked: Asked): string | undefined;
  /** It is not admitted after all. */
  refused(thread: ThreadId): void;
  /** Ends what is open, and listens no more. */
  close(): void;
}

/** What telemetry looks at. */
export type TelemetrySources = {
  readonly host: Pick<HostContext, 'feed' | 'table' | 'slots' | 'reader' | 'clock' | 'problem'>;
  readonly redactor: Pick<Redactor, 'text'>;
};

const SCOPE = 'skein';
const DEFAULT_MAX_THREADS = 20_000;

const OPTION_NAMES: Readonly<Record<keyof TelemetryOptions, true>> = {
  tracerProvider: true,
  meterProvider: true,
  content: true,
  maxThreads: true,
};

/**
 * Refuses options that mean nothing.
 *
 * @throws SkeinError `invalid_argument`
 */
export function checkTelemetryOptions(options: TelemetryOptions): void {
  checkOptionNames('createRuntime telemetry', options, OPTION_NAMES);
  const { maxThreads, content, tracerProvider, meterProvider } = options;
  checkChoice('telemetry.content', content);
  checkProvider('telemetry.tracerProvider', 'getTracer', tracerProvider);
  checkProvider('telemetry.meterProvider', 'getMeter', meterProvider);
  if (maxThreads === undefined || (Number.isInteger(maxThreads) && maxThreads >= 1)) return;
  throw new SkeinError('invalid_argument', `telemetry.maxThreads is ${maxThreads}; a whole number from 1 is expected`);
}

function checkProvider(what: string, method: string, given: unknown): void {
  if (given === undefined) return;
  // A class of the SDK may have it from a prototype.
  if (typeof given !== 'object' || given === null) throw refusedArgument(what, 'an object', given);
  const found: unknown = Reflect.get(given, method);
  checkFunction(`${what}.${method}`, found);
}

/**
 * Begins to tell OpenTelemetry of all threads (docs/adr/0056-telemetry.md). What fails there disturbs nobody: it is told once.
 *
 * @throws SkeinError `invalid_argument` if a provider gives no tracer or no instruments: nothing could ever be told
 */
export function startTelemetry(options: TelemetryOptions, { host, redactor }: TelemetrySources): Telemetry {
  const attempt = attemptAndTell(host);
  const { tracerProvider = trace, meterProvider = metrics } = options;
  const instruments = fromProvider('telemetry.meterProvider', () => createInstruments(meterProvider.getMeter(SCOPE)));
  const traces = new ThreadTraces({
    tracer: fromProvider('telemetry.tracerProvider', () => tracerProvider.getTracer(SCOPE)),
    instruments,
    clean: (text) => redactor.text(text),
    content: options.content ?? false,
    maxThreads: options.maxThreads ?? DEFAULT_MAX_THREADS,
    describe: (id) => describeStored(id, host),
    now: host.clock.now,
  });
  const count = (result: ObservableResult): void => attempt(() => countThreads(result, host));
  instruments.threads.addCallback(count);
  const stop = host.feed.listenAll((event) => attempt(() => traces.hear(event)));
  return {
    caller() {
      const active = context.active();
      return trace.getSpan(active) && active;
    },
    admit: (lineage, asked) => attempt(() => traces.admit(lineage, asked)),
    refused: (thread) => attempt(() => traces.forget(thread)),
    close() {
      stop();
      attempt(() => instruments.threads.removeCallback(count));
      attempt(() => traces.close());
    },
  };
}

function fromProvider<Value>(provider: string, ask: () => Value): Value {
  try {
    return ask();
  } catch (cause) {
    throw new SkeinError('invalid_argument', `${provider} failed: ${messageOf(cause)}`, { cause });
  }
}

function attemptAndTell({ problem }: Pick<HostContext, 'problem'>): <Value>(work: () => Value) => Value | undefined {
  let isTold = false;
  return (work) => {
    try {
      return work();
    } catch (thrown) {
      if (isTold) return undefined;
      isTold = true;
      const { code, message } = toFailure(thrown);
      problem({ code, message: `Telemetry failed; what fails of it from now on is not told: ${message}` });
      return undefined;
    }
  };
}

/** Only when metrics are collected. O(threads in memory). */
function countThreads(result: ObservableResult, { slots, table }: TelemetrySources['host']): void {
  let waiting = 0;
  for (const { phase } of table.live()) if (phase === 'waiting') waiting++;
  const say = (state: string, count: number): void => result.observe(count, { 'skein.thread.state': state });
  say('running', slots.taken());
  say('queued', slots.waitingInLine());
  say('waiting', waiting);
}
