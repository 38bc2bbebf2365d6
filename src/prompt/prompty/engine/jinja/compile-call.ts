import { syntaxError } from '../place.ts';
import { UNSET, type Run } from '../run.ts';
import { plainValue } from '../written.ts';
import { nameOfKind } from './arithmetic.ts';
import { bindArguments } from './bind-arguments.ts';
import { compiled, choosing, keeper, type Compiled, type Exec } from './compiled.ts';
import { COMPARE } from './comparison.ts';
import { loopState } from './loop-state.ts';
import type { Macro, MacroGroup, Scope } from './scope.ts';
import type { Expression } from './syntax.ts';

type Call = Extract<Expression, { readonly kind: 'call' }>;
type Around = { readonly scope: Scope; readonly compile: (part: Expression) => Compiled };

/** Compiles a call: of a macro, `range`, `super`, `loop.cycle` or `loop.changed`. @throws ValueError `template_syntax` for any other */
export function compileCall(call: Call, around: Around): Compiled {
  const { callee, place } = call;
  const group = around.scope.macro(callee);
  if (group) return writing(groupCall(group, call, around));
  if (callee === 'range') return compileRange(call, around);
  if (callee === 'super') return writing(superCall(call, around));
  if (callee === 'loop.cycle') return compileCycle(call, around);
  if (callee === 'loop.changed') return compileChanged(call, around);
  throw syntaxError(place, `Calling ${callee} is not supported: there is no macro of this name`);
}

/** A call that writes; where it is a value, that is what it wrote. */
function writing(print: Exec): Compiled {
  const keep = (run: Run): unknown => run.capture(print);
  return { value: (run) => plainValue(keep(run)), isLiteral: false, keep, print };
}

function groupCall({ first, macros, slot }: MacroGroup, call: Call, { scope, compile }: Around): Exec {
  if (slot === undefined) return macroCall(first, call, { scope, compile });
  const known = new Map<Expression, Compiled>();
  // Compiled once for all of them: calls inside of calls would double with each.
  const compileOnce = (part: Expression): Compiled => {
    const ready = known.get(part) ?? compile(part);
    known.set(part, ready);
    return ready;
  };
  const calls = new Map<unknown, Exec>();
  for (const macro of macros.values()) calls.set(macro, macroCall(macro, call, { scope, compile: compileOnce }));
  return callOfLast(calls, slot, call);
}

/** Calls the macro that was defined last. */
function callOfLast(calls: ReadonlyMap<unknown, Exec>, slot: number, { callee, place }: Call): Exec {
  return (run) => {
    const call = calls.get(run.frame[slot]);
    run.place = place;
    if (call === undefined) throw run.refuse(`No macro ${callee} has been defined when it is called`);
    call(run);
  };
}

function macroCall(macro: Macro, { args, callee, place }: Call, { scope, compile }: Around): Exec {
  const { body, weight: tag } = macro.syntax;
  const { parameters, places } = macro;
  const bound = bindArguments(args, { what: `The macro ${callee}`, parameters, places, place });
  // One named argument may stand behind a thousand that are not given.
  scope.unit.session.pay(1 + bound.length, place);
  const given = bound.map((argument) => (argument === undefined ? () => UNSET : keeper(compile(argument))));
  const weight = body.weight + tag;
  const { level } = scope.unit.session;
  return (run) => {
    run.place = place;
    run.spend(weight);
    run.enter(level);
    const values = given.map((value) => value(run));
    // A macro may call itself, so its variables are put back behind each call.
    const { frame } = run;
    const saved = frame.slice(macro.from, macro.to);
    frame.fill(UNSET, macro.from, macro.to);
    for (const [at, value] of values.entries()) frame[macro.from + at] = value;
    for (const [at, setDefault] of macro.defaults.entries()) {
      if (frame[macro.from + at] === UNSET) setDefault?.(run);
    }
    macro.body?.(run);
    for (const [at, value] of saved.entries()) frame[macro.from + at] = value;
    run.leave(level);
  };
}

function superCall({ args, place }: Call, { scope }: Around): Exec {
  bindArguments(args, { what: 'super', parameters: [], place });
  const compileSuper = scope.block?.compileSuper;
  if (compileSuper === undefined) throw syntaxError(place, 'super is called where no block overrides another');
  return compileSuper();
}

function compileRange({ args, place }: Call, { compile }: Around): Compiled {
  const parameters = ['start', 'stop', 'step'];
  const parts = bindArguments(args, { what: 'range', parameters, place }).map((part) => part && compile(part));
  if (parts.length === 0) throw syntaxError(place, 'range needs a number');
  return compiled(
    (run) => {
      const numbers = parts.map((part) => part?.value(run));
      run.place = place;
      return range(numbers, run);
    },
    parts.every((part) => part?.isLiteral !== false),
  );
}

/** The numbers are paid for before there are any. */
function range(bounds: readonly unknown[], run: Run): readonly number[] {
  const [first = 0, second, step = 1] = bounds.map((bound) => wholeNumber(bound, run));
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  if (step === 0) throw run.refuse('The step of range can not be zero');
  const count = Math.max(0, Math.ceil((stop - start) / step));
  run.spend(count);
  const numbers: number[] = [];
  for (let at = 0; at < count; at += 1) numbers.push(start + at * step);
  return numbers;
}

function wholeNumber(value: unknown, run: Run): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw run.refuse(`range needs whole numbers, not ${nameOfKind(value)}`);
}

function compileCycle({ args, place }: Call, { scope, compile }: Around): Compiled {
  const slot = scope.loopSlot();
  if (slot === undefined) throw syntaxError(place, 'loop.cycle is called outside of a loop');
  if (args.positional.length === 0 || args.named.size > 0) throw syntaxError(place, 'loop.cycle needs values');
  const values = args.positional.map(compile);
  return choosing(values, place, (run) => loopState(run, slot).at % values.length);
}

/** Whether its arguments differ from those it had last, in whichever place of the loop. */
function compileChanged({ args, place }: Call, { scope, compile }: Around): Compiled {
  const slot = scope.loopSlot();
  if (slot === undefined) throw syntaxError(place, 'loop.changed is called outside of a loop');
  if (args.named.size > 0) throw syntaxError(place, 'The arguments of loop.changed have no names');
  const values = args.positional.map((argument) => compile(argument).value);
  return compiled((run) => {
    const state = loopState(run, slot);
    const now = values.map((value) => value(run));
    run.place = place;
    const isSame = state.seen !== undefined && COMPARE['=='](state.seen, now, run);
    state.seen = now;
    return !isSame;
  }, false);
}
