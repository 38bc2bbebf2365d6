import type { Tracer } from '@opentelemetry/api';
import type { Instruments } from './instruments.ts';

/** What spans and metrics are told with. */
export type Telling = {
  readonly tracer: Tracer;
  readonly instruments: Instruments;
  /** A text without secrets. */
  readonly clean: (text: string) => string;
  /** Whether what is said goes into spans. */
  readonly content: boolean;
};
