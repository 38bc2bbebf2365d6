import { types } from 'node:util';
import { messageOf } from '../../core/errors.ts';
import type { Redactor } from '../../core/redactor.ts';
import { clip } from './describe-call.ts';
import type { SpanAttributes, Tracer, TraceSpan } from './tracer.ts';

/** The tracers of an instance, by name. */
export interface Tracers {
  /** Adds a tracer; one that is there under the name is replaced. */
  register(name: string, tracer: Tracer): void;
  remove(name: string): void;
}

/** What a failing tracer is told to. */
export type TracerProblem = { readonly tracer: string; readonly message: string };

/** What spans are started with. */
export interface SpanStarter {
  /** False: nobody is told, and nothing has to be described. */
  readonly isTraced: () => boolean;
  /** A span of every tracer. A text of its attributes has no secrets when it reaches them. */
  readonly start: (name: string, attributes: SpanAttributes) => TraceSpan;
}

/** Makes a registry of tracers. One that fails is told to `onProblem` and disturbs neither the others nor the work. */
export function createTracers(
  redactor: Pick<Redactor, 'text'>,
  onProblem: (problem: TracerProblem) => void,
): { readonly tracers: Tracers; readonly spans: SpanStarter } {
  const registered = new Map<string, Tracer>();
  const attempt = <Result>(name: string, call: () => Result): Result | undefined => {
    const fail = (error: unknown): void => tellProblem({ tracer: name, message: messageOf(error) }, onProblem);
    try {
      const result = call();
      // A tracer may be written with async functions; nobody else waits for them.
      if (types.isPromise(result)) result.catch(fail);
      return result;
    } catch (error) {
      fail(error);
      return undefined;
    }
  };
  const start: SpanStarter['start'] = (name, attributes) => {
    const clean = redact(attributes, redactor);
    const open = [...registered].flatMap(([key, tracer]) => {
      const span = attempt(key, () => tracer.startSpan(name, { ...clean }));
      return span ? [{ key, span }] : [];
    });
    const tell = (say: (span: TraceSpan) => void): void => {
      for (const { key, span } of open) attempt(key, () => say(span));
    };
    return {
      end(given) {
        const cleaned = redact(given, redactor);
        tell((span) => span.end({ ...cleaned }));
      },
      error(given) {
        const failure = { name: given.name, message: redactor.text(given.message) };
        tell((span) => span.error({ ...failure }));
      },
    };
  };
  return {
    tracers: {
      register: (name, tracer) => void registered.set(name, tracer),
      remove: (name) => void registered.delete(name),
    },
    spans: { isTraced: () => registered.size > 0, start },
  };
}

/** Whoever is told of problems disturbs nothing either. */
function tellProblem(problem: TracerProblem, onProblem: (problem: TracerProblem) => void): void {
  try {
    onProblem(problem);
  } catch (error) {
    const told = `The tracer "${problem.tracer}" failed: ${problem.message}`;
    process.emitWarning(`${told}; so did onTracerProblem: ${messageOf(error)}`);
  }
}

/** Clipped at last: half a secret could not be recognized. */
function redact(attributes: SpanAttributes, redactor: Pick<Redactor, 'text'>): SpanAttributes {
  const clean = Object.entries(attributes).map(
    ([key, value]) => [key, typeof value === 'string' ? clip(redactor.text(value)) : value] as const,
  );
  return Object.fromEntries(clean);
}
