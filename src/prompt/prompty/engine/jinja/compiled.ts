import type { Run } from '../run.ts';
import { textOf } from '../text-of.ts';
import { literalValue } from '../written.ts';

/** Computes a value. */
export type Eval = (run: Run) => unknown;

/**
 * An expression ready to be carried out. Where characters come from is known when it is compiled: from the template if it
 * reads no variable, else from an input, unless `keep` and `print` know it better.
 */
export interface Compiled {
  /** The plain value. */
  readonly value: Eval;
  /** True if it consists of literals. */
  readonly isLiteral: boolean;
  /** The value for a variable of the template: what the template wrote stays known as that. */
  readonly keep: Eval;
  /** Writes the value. */
  readonly print: (run: Run) => void;
}

/** An expression whose result is from an input as a whole if any part is. */
export function compiled(value: Eval, isLiteral: boolean): Compiled {
  if (isLiteral) {
    return {
      value,
      isLiteral,
      keep: (run) => literalValue(value(run)),
      print: (run) => run.literal(textOf(value(run), run)),
    };
  }
  return {
    value,
    isLiteral,
    keep: value,
    print: (run) => {
      const result = value(run);
      run.input(typeof result === 'string' ? result : textOf(result, run));
    },
  };
}
