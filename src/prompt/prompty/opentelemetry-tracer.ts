import type { Tracer } from './tracer.ts';

/** What is used of a tracer of the OpenTelemetry API: `trace.getTracer('…')` is one. */
export interface OpenTelemetryTracer {
  startSpan(
    name: string,
    options: { attributes: Record<string, string | number | boolean> },
  ): {
    setAttributes(attributes: Record<string, string | number | boolean>): unknown;
    setStatus(status: { code: number; message: string }): unknown;
    end(): void;
  };
}

/** `SpanStatusCode.ERROR`. */
const ERROR = 2;

/** Tells spans to OpenTelemetry: internal ones, below the span that is active; a failure sets the status and `error.type`. */
export function createOpenTelemetryTracer(tracer: OpenTelemetryTracer): Tracer {
  return {
    startSpan(name, attributes) {
      const span = tracer.startSpan(name, { attributes: { ...attributes } });
      return {
        end(more) {
          span.setAttributes({ ...more });
          span.end();
        },
        error({ name: type, message }) {
          span.setAttributes({ 'error.type': type });
          span.setStatus({ code: ERROR, message });
          span.end();
        },
      };
    },
  };
}
