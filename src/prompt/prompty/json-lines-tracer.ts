import type { Clock } from '../../core/clock.ts';
import type { SpanAttributes, Tracer } from './tracer.ts';

/** Where lines go, and what time it is. */
export type JsonLinesTarget = { readonly write: (line: string) => void; readonly now: Clock['now'] };

/** Writes each span that has ended as one line of JSON: `name`, `start` (ISO 8601), `duration_ms`, `attributes`, and `error` if it failed. */
export function createJsonLines({ write, now }: JsonLinesTarget): Tracer {
  return {
    startSpan(name, attributes) {
      const began = now();
      const line = (more: SpanAttributes, error?: object): void => {
        const start = new Date(began).toISOString();
        const entry = { name, start, duration_ms: now() - began, attributes: { ...attributes, ...more } };
        write(`${JSON.stringify({ ...entry, ...(error && { error }) })}\n`);
      };
      return { end: (more) => line(more), error: (error) => line({}, error) };
    },
  };
}
