import { syntaxError, type Place } from '../place.ts';
import { UNSET, type Run } from '../run.ts';
import { isTrue } from '../truth.ts';
import { literalValue } from '../written.ts';
import { assigner } from './assign.ts';
import { compileExpression } from './compile-expression.ts';
import { keeper, printer, type Eval, type Exec } from './compiled.ts';
import { declareNames } from './declare.ts';
import { sequenceOf } from './filter.ts';
import { LoopState } from './loop-state.ts';
import type { Held, Macro, Scope } from './scope.ts';
import type { Body, MacroSyntax, Statement } from './syntax.ts';

type Of<Kind extends Statement['kind']> = Extract<Statement, { readonly kind: Kind }>;

/** Compiles a template with what it extends, in a scope that is its own. @throws ValueError `template_syntax` */
export function compileRoot(body: Body, scope: Scope): Exec {
  scope.unit.addBlocks(body);
  const [base, again] = body.statements.filter((statement) => statement.kind === 'extends');
  if (again) throw syntaxError(again.place, 'A template extends one other');
  if (base === undefined) return compileScoped(body, scope);
  const before = compileBeforeBase(body, body.statements.indexOf(base), scope);
  const unit = scope.unit.extending(base.name, base.place);
  const extended = unit.session.load(base.name);
  if (extended === undefined) throw missingTemplate([base.name], base.place);
  const rest = paid(
    unit.session.deeper(base.place, () => compileRoot(extended, scope.child({ unit }))),
    extended,
    base.place,
  );
  return (run) => {
    before(run);
    rest(run);
  };
}

/** A body that stands elsewhere costs its steps each time it is written. */
function paid(write: Exec, { weight }: Body, place: Place): Exec {
  return (run) => {
    run.place = place;
    run.spend(weight);
    write(run);
  };
}

const SILENT: ReadonlySet<Statement['kind']> = new Set(['set', 'capture', 'macro', 'if']);

/** What an extending template does before the one it extends: behind the tag that says so it writes nothing. */
function compileBeforeBase({ statements, weight }: Body, at: number, scope: Scope): Exec {
  declareNames({ statements, weight }, scope);
  const before = compileBody({ statements: statements.slice(0, at), weight }, scope);
  const silent = statements.slice(at).filter(({ kind }) => SILENT.has(kind));
  const behind = compileBody({ statements: silent, weight: 0 }, scope);
  const empty = emptying(scope);
  return (run) => {
    empty(run);
    before(run);
    run.capture(behind);
  };
}

function missingTemplate(names: readonly string[], place: Place): Error {
  return syntaxError(place, `There is no template ${names.map((name) => JSON.stringify(name)).join(' or ')}`);
}

/** Compiles a body in a scope of its own: nothing of another time is left in its variables. */
function compileScoped(body: Body, scope: Scope): Exec {
  declareNames(body, scope);
  const write = compileBody(body, scope);
  if (scope.emptySlots().length === 0) return write;
  const empty = emptying(scope);
  return (run) => {
    empty(run);
    write(run);
  };
}

function emptying(scope: Scope): Exec {
  const slots = scope.emptySlots();
  return ({ frame }) => {
    for (const slot of slots) frame[slot] = UNSET;
  };
}

/** Compiles a body whose names have been declared. */
function compileBody({ statements, weight }: Body, scope: Scope): Exec {
  const { session } = scope.unit;
  const [begin] = statements;
  if (begin !== undefined) session.pay(weight, begin.place);
  const parts: Exec[] = [];
  for (const statement of statements) {
    session.enter(statement.place);
    parts.push(compileStatement(statement, scope));
    session.leave();
  }
  return inTurn(parts);
}

function inTurn(parts: readonly Exec[]): Exec {
  const [first, second] = parts;
  if (first === undefined) return () => undefined;
  if (second === undefined) return first;
  return (run) => {
    for (const part of parts) part(run);
  };
}

function compileStatement(statement: Statement, scope: Scope): Exec {
  switch (statement.kind) {
    case 'text':
      return compileText(statement.text);
    case 'output':
      return compileOutput(statement, scope);
    case 'if':
      return compileIf(statement, scope);
    case 'for':
      return compileFor(statement, scope);
    case 'set':
      return compileSet(statement, scope);
    case 'capture':
      return compileCapture(statement, scope);
    case 'macro':
      return compileMacro(statement, scope);
    case 'include':
      return compileInclude(statement, scope);
    case 'block':
      return compileBlock(statement, scope);
    case 'extends':
      throw syntaxError(statement.place, 'extends is not supported inside other tags, nor twice');
  }
}

function compileText(text: string): Exec {
  return (run) => run.literal(text);
}

function compileOutput({ value, place }: Of<'output'>, scope: Scope): Exec {
  return printer(compileExpression(value, scope), place);
}

function compileIf({ branches, otherwise }: Of<'if'>, scope: Scope): Exec {
  const cases: Case[] = [];
  for (const { test, body } of branches) {
    cases.push({ test: compileExpression(test, scope).value, body: compileBody(body, scope) });
  }
  return firstThatHolds(cases, otherwise && compileBody(otherwise, scope));
}

type Case = { readonly test: Eval; readonly body: Exec };

function firstThatHolds(cases: readonly Case[], last: Exec | undefined): Exec {
  return (run) => {
    for (const { test, body } of cases) {
      if (isTrue(test(run), run)) return body(run);
    }
    last?.(run);
  };
}

function compileFor(loop: Of<'for'>, scope: Scope): Exec {
  const { place, targets, condition } = loop;
  const { value: list, isLiteral } = compileExpression(loop.list, scope);
  const otherwise = loop.otherwise && compileScoped(loop.otherwise, scope.child());
  const inner = scope.child();
  const assign = assigner(declareTargets(targets, isLiteral ? 'set' : 'input', inner), place);
  const test = condition && compileExpression(condition, inner).value;
  inner.beginLoop();
  const body = compileScoped(loop.body, inner);
  const weight = loop.body.weight + loop.weight;
  const stateSlot = inner.usedLoopSlot();
  return repeated({ list, isLiteral, assign, test, body, otherwise, weight, stateSlot, place });
}

function declareTargets(names: readonly string[], holds: Held, scope: Scope): readonly number[] {
  return names.map((name) => scope.declare(name, holds));
}

/** A loop whose parts are compiled. */
interface Repeated {
  readonly list: Eval;
  readonly isLiteral: boolean;
  readonly assign: (run: Run, element: unknown) => void;
  readonly test: Eval | undefined;
  readonly body: Exec;
  readonly otherwise: Exec | undefined;
  readonly weight: number;
  readonly stateSlot: number | undefined;
  readonly place: Place;
}

function repeated({ list, isLiteral, assign, test, body, otherwise, weight, stateSlot, place }: Repeated): Exec {
  return (run) => {
    const value = list(run);
    run.place = place;
    let elements = sequenceOf(value, run);
    if (isLiteral) elements = elements.map(literalValue);
    if (test) {
      elements = elements.filter((element) => {
        run.spend(weight);
        assign(run, element);
        return isTrue(test(run), run);
      });
    }
    if (elements.length === 0) return otherwise?.(run);
    const state = new LoopState(elements);
    for (const element of elements) {
      run.place = place;
      run.spend(weight);
      assign(run, element);
      if (stateSlot !== undefined) run.frame[stateSlot] = state;
      body(run);
      state.at += 1;
    }
  };
}

function compileSet({ targets, value, place }: Of<'set'>, scope: Scope): Exec {
  const assign = assigner(declareTargets(targets, 'maybe', scope), place);
  const keep = keeper(compileExpression(value, scope));
  return (run) => assign(run, keep(run));
}

function compileCapture({ target, body }: Of<'capture'>, scope: Scope): Exec {
  const slot = scope.declare(target, 'maybe');
  const write = compileScoped(body, scope.child());
  return (run) => {
    run.frame[slot] = run.capture(write);
  };
}

/** A macro writes where it is called; where it stands it takes the place of others of its name. */
function compileMacro(syntax: MacroSyntax, scope: Scope): Exec {
  const group = scope.macro(syntax.name);
  const macro = group?.macros.get(syntax);
  if (macro !== undefined) scope.unit.session.macro(() => compileMacroBody(macro, scope));
  return group?.slot === undefined ? () => undefined : definition(group.slot, macro);
}

function definition(slot: number, macro: Macro | undefined): Exec {
  return ({ frame }) => {
    frame[slot] = macro;
  };
}

function compileMacroBody(macro: Macro, scope: Scope): void {
  const { parameters, body } = macro.syntax;
  const inner = scope.child();
  macro.from = scope.layout.size;
  for (const { name } of parameters) inner.declare(name, 'set');
  macro.defaults = parameters.map(({ fallback }, at) => {
    const keep = fallback ? keeper(compileExpression(fallback, inner)) : () => undefined;
    return (run) => {
      run.frame[macro.from + at] = keep(run);
    };
  });
  macro.body = compileScoped(body, inner);
  macro.to = scope.layout.size;
}

function compileInclude({ names, ignoreMissing, place }: Of<'include'>, scope: Scope): Exec {
  const { session } = scope.unit;
  for (const name of names) {
    const body = session.load(name);
    if (body === undefined) continue;
    const unit = scope.unit.included(name, place);
    return paid(
      session.deeper(place, () => compileRoot(body, scope.child({ unit }))),
      body,
      place,
    );
  }
  if (ignoreMissing) return () => undefined;
  throw missingTemplate(names, place);
}

function compileBlock({ name, isScoped, body: own, place }: Of<'block'>, scope: Scope): Exec {
  const around = isScoped ? scope : scope.root;
  const bodies = scope.unit.block(name);
  const compileFrom = (at: number): Exec => {
    const body = bodies[at];
    if (body === undefined) return () => undefined;
    const compileSuper = at + 1 < bodies.length ? () => compileFrom(at + 1) : undefined;
    const write = scope.unit.session.deeper(place, () =>
      compileScoped(body, around.child({ block: { compileSuper } })),
    );
    // What stands here is paid with all around it.
    return at === 0 && body === own ? write : paid(write, body, place);
  };
  return compileFrom(0);
}
