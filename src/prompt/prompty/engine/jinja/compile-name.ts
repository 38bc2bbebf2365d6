import { syntaxError } from '../place.ts';
import { dataProperty } from '../own-data.ts';
import { UNSET, type Run } from '../run.ts';
import { textOf } from '../text-of.ts';
import { plainValue, Written } from '../written.ts';
import { compiled, type Compiled, type Eval } from './compiled.ts';
import type { Scope, Variable } from './scope.ts';
import type { Expression } from './syntax.ts';

type Name = Extract<Expression, { readonly kind: 'name' }>;

/** Compiles a name: the nearest variable of the template that is set, else an input. */
export function compileName({ name, place }: Name, scope: Scope): Compiled {
  const [nearest, ...more] = scope.variables(name);
  if (nearest === undefined && name === 'loop' && scope.loopSlot() !== undefined) {
    throw syntaxError(place, 'loop is not supported as a value, only its members are');
  }
  if (nearest === undefined && scope.macro(name)) {
    throw syntaxError(place, `The macro ${name} is not supported as a value, it can only be called`);
  }
  if (nearest === undefined) return compiled(readInput(name, scope), false);
  if (nearest.holds === 'input') return compiled(readSlot(nearest.slot), false);
  if (nearest.holds === 'set') return variable(readSlot(nearest.slot));
  return compileUnsure(name, [nearest, ...more], scope);
}

function readSlot(slot: number): Eval {
  return (run) => run.frame[slot];
}

/** A variable that may not be set yet: what is around it then. */
function compileUnsure(name: string, variables: readonly Variable[], scope: Scope): Compiled {
  const slots = variables.map(({ slot }) => slot);
  const last = variables.at(-1)?.holds === 'maybe' ? readInput(name, scope) : () => undefined;
  return variable((run) => {
    for (const one of slots) {
      const value = run.frame[one];
      if (value !== UNSET) return value;
    }
    return last(run);
  });
}

/** What is kept in a variable: it may be what the template wrote. */
export function variable(keep: Eval): Compiled {
  return {
    value: (run) => plainValue(keep(run)),
    isLiteral: false,
    keep,
    print: (run) => {
      const value = keep(run);
      if (typeof value === 'string') run.input(value);
      else if (Written.is(value)) run.written(value);
      else run.input(textOf(value, run));
    },
  };
}

/** An input is read once for each rendering. */
function readInput(name: string, scope: Scope): (run: Run) => unknown {
  const slot = scope.layout.inputSlot(name);
  return (run) => {
    const known = run.frame[slot];
    if (known !== UNSET) return known;
    const value = dataProperty(run.inputs, name);
    run.frame[slot] = value;
    return value;
  };
}
