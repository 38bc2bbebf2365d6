import type { SpanAttributes, TraceSpan } from './tracer.ts';
import type { SpanStarter } from './tracers.ts';

/** A call that is traced, and what its span says before and after it. */
export type TracedCall<Result> = {
  readonly name: string;
  readonly about: () => SpanAttributes;
  readonly outcome: (result: Result) => SpanAttributes;
};

/** Does some work within a span of every tracer; without tracers it is done and nothing else. */
export function traceCall<Result>(spans: SpanStarter, call: TracedCall<Result>, work: () => Result): Result {
  if (!spans.isTraced()) return work();
  const span = spans.start(call.name, call.about());
  let result: Result;
  try {
    result = work();
  } catch (error) {
    throw fail(span, error);
  }
  span.end(call.outcome(result));
  return result;
}

/** As {@link traceCall}, until the work has been waited for. */
export async function traceCallAsync<Result>(
  spans: SpanStarter,
  call: TracedCall<Result>,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!spans.isTraced()) return work();
  const span = spans.start(call.name, call.about());
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    throw fail(span, error);
  }
  span.end(call.outcome(result));
  return result;
}

function fail(span: TraceSpan, error: unknown): unknown {
  const { name, message } =
    error instanceof Error ? error : { name: typeof error, message: 'something else was thrown' };
  span.error({ name, message });
  return error;
}
