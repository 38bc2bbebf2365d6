import { messageOf } from '../../core/errors.ts';
import type { SpanAttributes, TraceSpan } from './tracer.ts';
import type { SpanStarter } from './tracers.ts';

/** A call that is traced, and what its span says before and after it. */
export type TracedWork<Result> = {
  readonly name: string;
  readonly about: () => SpanAttributes;
  readonly outcome: (result: Result) => SpanAttributes;
};

/** Does some work within a span of every tracer; without tracers it is done and nothing else. What it throws is the same. */
export function traceCall<Result>(spans: SpanStarter, call: TracedWork<Result>, work: () => Result): Result {
  if (!spans.isTraced()) return work();
  const span = begin(spans, call);
  let result: Result;
  try {
    result = work();
  } catch (error) {
    throw fail(span, error);
  }
  return end(span, call, result);
}

/** As {@link traceCall}, until the work has been waited for. */
export async function traceCallAsync<Result>(
  spans: SpanStarter,
  call: TracedWork<Result>,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!spans.isTraced()) return work();
  const span = begin(spans, call);
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    throw fail(span, error);
  }
  return end(span, call, result);
}

function begin(spans: SpanStarter, { name, about }: TracedWork<never>): TraceSpan {
  return spans.start(name, described(about));
}

function end<Result>(span: TraceSpan, { outcome }: TracedWork<Result>, result: Result): Result {
  span.end(described(() => outcome(result)));
  return result;
}

/** What can't be described is traced all the same: whatever is wrong with it is for the work to say. */
function described(describe: () => SpanAttributes): SpanAttributes {
  try {
    return describe();
  } catch (error) {
    return { 'prompty.undescribed': messageOf(error) };
  }
}

function fail(span: TraceSpan, error: unknown): unknown {
  const { name, message } =
    error instanceof Error ? error : { name: typeof error, message: 'something else was thrown' };
  span.error({ name, message });
  return error;
}
