import { types } from 'node:util';

/**
 * A text the template wrote, held in one of its own variables: a literal, or the output of a macro or a captured block. A
 * string that is not wrapped in it came out of an input, which is why inputs cost nothing to keep apart.
 */
export class Written {
  /** Pairs `start, end` of what came out of inputs. */
  readonly spans: readonly number[];
  readonly text: string;

  constructor(text: string, spans: readonly number[]) {
    this.text = text;
    this.spans = spans;
  }

  /** Tells it from any other value. Asking a proxy among the inputs for its prototype would run its code. */
  static is(value: unknown): value is Written {
    if (typeof value !== 'object' || value === null || types.isProxy(value)) return false;
    return Object.getPrototypeOf(value) === Written.prototype;
  }
}

const NO_SPANS: readonly number[] = [];

/** A value the template wrote itself: strings remember it, all else needs no memory, since it makes no role line. */
export function literalValue(value: unknown): unknown {
  return typeof value === 'string' ? new Written(value, NO_SPANS) : value;
}

/** The value itself, for operations that do not look at where it came from. */
export function plainValue(value: unknown): unknown {
  return Written.is(value) ? value.text : value;
}
