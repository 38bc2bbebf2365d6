/** What a span says about itself: short texts, numbers and booleans; what is structured stands as JSON. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Work that has begun and will end. */
export interface TraceSpan {
  /** It is done; `attributes` say what came of it. */
  end(attributes: SpanAttributes): void;
  /** It failed; nothing follows. */
  error(error: { readonly name: string; readonly message: string }): void;
}

/** A backend that is told of spans. What it throws reaches nobody but the registry. */
export interface Tracer {
  startSpan(name: string, attributes: SpanAttributes): TraceSpan;
}
