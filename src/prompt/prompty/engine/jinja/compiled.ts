import type { Place } from '../place.ts';
import type { Run } from '../run.ts';
import { textOf } from '../text-of.ts';
import { literalValue } from '../written.ts';

/**
 * Carries a part of a template out. Such functions, and those of {@link Eval}, stay for as long as the template is cached, and a
 * closure keeps all that any closure of the same function uses. Where one of them needs the syntax, those that stay are made
 * by a function of their own, or they would keep what they were compiled from (docs/adr/0050-template-engines.md, "Memory").
 */
export type Exec = (run: Run) => void;

/** Computes a value. */
export type Eval = (run: Run) => unknown;

/**
 * An expression ready to be carried out. Where characters come from is known when it is compiled: from the template if it
 * reads no variable, else from an input, unless `keep` and `print` know it better. They are made of it where they are needed,
 * which is at few places.
 */
export interface Compiled {
  /** The plain value. */
  readonly value: Eval;
  /** True if it consists of literals. */
  readonly isLiteral: boolean;
  /** As {@link keeper}, if it is not as for any other expression. */
  readonly keep: Eval | undefined;
  /** As {@link printer}, if it is not as for any other expression. */
  readonly print: Exec | undefined;
}

/** An expression that is kept and written as any other: its result is from an input as a whole if any part is. */
export function compiled(value: Eval, isLiteral: boolean): Compiled {
  return { value, isLiteral, keep: undefined, print: undefined };
}

/** Computes the value for a variable of the template: what the template wrote stays known as that. */
export function keeper({ value, isLiteral, keep }: Compiled): Eval {
  return keep ?? (isLiteral ? (run) => literalValue(value(run)) : value);
}

/** Writes the value of the expression at a place. */
export function printer({ value, isLiteral, print }: Compiled, place: Place): Exec {
  if (print !== undefined) return printAt(print, place);
  if (isLiteral) return printAt((run) => run.literal(textOf(value(run), run)), place);
  return (run) => {
    run.place = place;
    const result = value(run);
    run.input(typeof result === 'string' ? result : textOf(result, run));
  };
}

function printAt(print: Exec, place: Place): Exec {
  return (run) => {
    run.place = place;
    print(run);
  };
}

/** One of several expressions, nothing where there is none. It alone counts, so where its characters come from is kept. */
export function choosing(choices: readonly Compiled[], place: Place, choose: (run: Run) => number): Compiled {
  const values = choices.map(({ value }) => value);
  const kept = choices.map(keeper);
  const prints = choices.map((choice) => printer(choice, place));
  return {
    value: (run) => values[choose(run)]?.(run),
    isLiteral: false,
    keep: (run) => kept[choose(run)]?.(run),
    print: (run) => prints[choose(run)]?.(run),
  };
}
