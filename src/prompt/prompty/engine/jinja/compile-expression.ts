import { syntaxError, type Place } from '../place.ts';
import { ownValue } from '../own-data.ts';
import { isTrue } from '../truth.ts';
import { ARITHMETIC } from './arithmetic.ts';
import { COMPARE, type Compare } from './comparison.ts';
import { compileCall } from './compile-call.ts';
import { compileFilter, compileTest } from './compile-filter.ts';
import { compileName, variable } from './compile-name.ts';
import { choosing, compiled, type Compiled, type Eval } from './compiled.ts';
import { loopMember } from './loop-state.ts';
import type { Scope } from './scope.ts';
import { slice, subscript } from './subscript.ts';
import type { Comparison, Expression } from './syntax.ts';
import { textOf } from '../text-of.ts';

type Of<Kind extends Expression['kind']> = Extract<Expression, { readonly kind: Kind }>;

/** Compiles an expression. @throws ValueError `template_syntax` for names of filters, tests and calls that are not supported */
export function compileExpression(expression: Expression, scope: Scope): Compiled {
  const { session } = scope.unit;
  session.enter(expression.place);
  const result = compileOperation(expression, scope);
  session.leave();
  return result;
}

function compileOperation(expression: Expression, scope: Scope): Compiled {
  switch (expression.kind) {
    case 'constant':
      return compileConstant(expression);
    case 'name':
      return compileName(expression, scope);
    case 'member':
      return compileMember(expression, scope);
    default:
      return compileParts(expression, scope);
  }
}

type Leaf = Of<'constant' | 'name' | 'member'>;

function compileParts(expression: Exclude<Expression, Leaf>, scope: Scope): Compiled {
  const compile = (part: Expression): Compiled => compileExpression(part, scope);
  switch (expression.kind) {
    case 'slice':
      return compileSlice(expression, compile);
    case 'list':
      return compileList(expression.items.map(compile));
    case 'map':
      return compileMap(expression, compile);
    case 'unary':
      return compileUnary(expression, compile);
    case 'binary':
      return compileBinary(expression, compile);
    case 'logic':
      return compileLogic(expression, compile);
    case 'comparison':
      return compileComparison(expression, compile);
    case 'concat':
      return compileConcat(expression, compile);
    case 'condition':
      return compileCondition(expression, compile);
    case 'filter':
      return compileFilter(expression, compile);
    case 'test':
      return compileTest(expression, compile);
    case 'call':
      return compileCall(expression, { scope, compile });
  }
}

type Compile = (part: Expression) => Compiled;

function compileConstant({ value }: Of<'constant'>): Compiled {
  return compiled(() => value, true);
}

function compileMember({ of, key, place }: Of<'member'>, scope: Scope): Compiled {
  const name = key.kind === 'constant' ? key.value : undefined;
  if (of.kind === 'name' && of.name === 'loop') {
    const slot = scope.loopSlot();
    const member = slot === undefined ? undefined : loopMember(name, slot);
    if (member) return variable(member);
    if (slot !== undefined) throw syntaxError(place, `loop has no ${String(name)} that could be read`);
  }
  const whole = compileExpression(of, scope);
  if (typeof name === 'string') return compiled(readMember(whole.value, name, place), whole.isLiteral);
  const at = compileExpression(key, scope);
  return compiled(readElement(whole.value, at.value, place), whole.isLiteral && at.isLiteral);
}

function readMember(from: Eval, name: string, place: Place): Eval {
  return (run) => {
    const value = from(run);
    run.place = place;
    return ownValue(value, name, run);
  };
}

function readElement(from: Eval, at: Eval, place: Place): Eval {
  return (run) => {
    const [value, index] = [from(run), at(run)];
    run.place = place;
    return subscript(value, index, run);
  };
}

function compileSlice({ of, bounds, place }: Of<'slice'>, compile: Compile): Compiled {
  const whole = compile(of);
  const [start, stop, step] = bounds.map((bound) => (bound === undefined ? undefined : compile(bound)));
  return compiled((run) => {
    const value = whole.value(run);
    const limits = { start: start?.value(run), stop: stop?.value(run), step: step?.value(run) };
    run.place = place;
    return slice(value, limits, run);
  }, false);
}

function compileList(items: readonly Compiled[]): Compiled {
  const values = items.map(({ value }) => value);
  return compiled(
    (run) => values.map((value) => value(run)),
    items.every(({ isLiteral }) => isLiteral),
  );
}

function compileMap({ entries, place }: Of<'map'>, compile: Compile): Compiled {
  const parts = entries.map(([key, value]) => [compile(key), compile(value)] as const);
  return compiled(
    (run) => {
      const map: Record<string, unknown> = Object.create(null);
      for (const [key, value] of parts) {
        const name = key.value(run);
        run.place = place;
        const text = textOf(name, run);
        run.read(text);
        map[text] = value.value(run);
      }
      return map;
    },
    parts.every(([key, value]) => key.isLiteral && value.isLiteral),
  );
}

function compileUnary({ operator, of, place }: Of<'unary'>, compile: Compile): Compiled {
  const { value, isLiteral } = compile(of);
  if (operator === 'not') return compiled((run) => !isTrue(value(run), run), isLiteral);
  const subtract = ARITHMETIC['-'];
  const sign = operator === '-' ? -1 : 1;
  return compiled((run) => {
    const number = value(run);
    run.place = place;
    // Also refuses what is no number; `0 - x` would make -0 of nothing.
    return sign * Number(subtract(number, 0, run));
  }, isLiteral);
}

function compileBinary({ operator, left, right, place }: Of<'binary'>, compile: Compile): Compiled {
  const [one, other] = [compile(left), compile(right)];
  const operate = ARITHMETIC[operator];
  return compiled((run) => {
    const [first, second] = [one.value(run), other.value(run)];
    run.place = place;
    return operate(first, second, run);
  }, one.isLiteral && other.isLiteral);
}

function compileLogic({ operator, left, right }: Of<'logic'>, compile: Compile): Compiled {
  const [one, other] = [compile(left), compile(right)];
  const goesOn = operator === 'and';
  return compiled((run) => {
    const first = one.value(run);
    return isTrue(first, run) === goesOn ? other.value(run) : first;
  }, one.isLiteral && other.isLiteral);
}

/** A chain holds if all its links do; what is in the middle is computed once. */
function compileComparison({ first, rest, place }: Of<'comparison'>, compile: Compile): Compiled {
  const start = compile(first);
  const links = rest.map(({ operator, right }: Comparison) => ({ compare: COMPARE[operator], right: compile(right) }));
  const [only] = links;
  if (only && links.length === 1) {
    const compared = compareOnce(start.value, only.right.value, { compare: only.compare, place });
    return compiled(compared, start.isLiteral && only.right.isLiteral);
  }
  return compiled(
    (run) => {
      let left = start.value(run);
      return links.every(({ compare, right: next }) => {
        const right = next.value(run);
        run.place = place;
        const holds = compare(left, right, run);
        left = right;
        return holds;
      });
    },
    start.isLiteral && links.every(({ right }) => right.isLiteral),
  );
}

type Compared = { readonly compare: Compare; readonly place: Place };

function compareOnce(one: Eval, other: Eval, { compare, place }: Compared): Eval {
  return (run) => {
    const [left, right] = [one(run), other(run)];
    run.place = place;
    return compare(left, right, run);
  };
}

function compileConcat({ parts, place }: Of<'concat'>, compile: Compile): Compiled {
  const compiledParts = parts.map(compile);
  return compiled(
    (run) => {
      let text = '';
      for (const { value } of compiledParts) {
        const part = value(run);
        run.place = place;
        text += textOf(part, run);
        run.reserve(text.length);
      }
      return text;
    },
    compiledParts.every(({ isLiteral }) => isLiteral),
  );
}

function compileCondition({ test, value, otherwise, place }: Of<'condition'>, compile: Compile): Compiled {
  const [condition, yes] = [compile(test).value, compile(value)];
  const no = otherwise && compile(otherwise);
  return choosing(no ? [yes, no] : [yes], place, (run) => (isTrue(condition(run), run) ? 0 : 1));
}
