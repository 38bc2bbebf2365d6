import type { MeterProvider, TracerProvider } from '@opentelemetry/api';

/** What a runtime tells OpenTelemetry (docs/telemetry.md). */
export type TelemetryOptions = {
  /** Where spans go. Default: the provider that is registered with the API. */
  readonly tracerProvider?: TracerProvider | undefined;
  /** Where metrics go. Default: the provider that is registered with the API. */
  readonly meterProvider?: MeterProvider | undefined;
  /** Whether spans hold prompts, answers, and what tools are given and give; without secrets. Default false. */
  readonly content?: boolean | undefined;
  /** Threads that are traced at a time; what is above is counted in `skein.telemetry.dropped`. Default 20,000. */
  readonly maxThreads?: number | undefined;
};
