import { isSpanContextValid, type SpanContext } from '@opentelemetry/api';

/** Version 00 of the W3C's trace context: trace, span, flags. */
const FORM = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/;

/** A span as a `traceparent`; undefined if it is none that others could refer to. */
export function toTraceparent(span: SpanContext | undefined): string | undefined {
  if (!span || !isSpanContextValid(span)) return undefined;
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
}

/** The span of another process that a `traceparent` names; undefined for any other text. */
export function fromTraceparent(text: string | undefined): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] = FORM.exec(text ?? '') ?? [];
  const span = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(span) ? span : undefined;
}
