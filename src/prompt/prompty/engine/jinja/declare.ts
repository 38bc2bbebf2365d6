import { syntaxError } from '../place.ts';
import type { Macro, Scope } from './scope.ts';
import type { Body, MacroSyntax } from './syntax.ts';

/**
 * Declares what the statements of a body set, those of its `if`s included, which have no scope of their own. A macro is
 * known in all of its scope, also before it stands there.
 */
export function declareNames({ statements }: Body, scope: Scope): void {
  for (const statement of statements) {
    if (statement.kind === 'set') for (const name of statement.targets) scope.declare(name, 'maybe');
    if (statement.kind === 'capture') scope.declare(statement.target, 'maybe');
    if (statement.kind === 'macro') {
      const isNew = scope.declareMacro(newMacro(statement));
      if (!isNew) throw syntaxError(statement.place, `The macro ${statement.name} is defined twice`);
    }
    if (statement.kind === 'if') {
      for (const { body } of statement.branches) declareNames(body, scope);
      if (statement.otherwise) declareNames(statement.otherwise, scope);
    }
  }
}

function newMacro(syntax: MacroSyntax): Macro {
  const parameters = syntax.parameters.map(({ name }) => name);
  const places = new Map(parameters.map((name, at) => [name, at]));
  return { syntax, parameters, places, from: 0, to: 0, body: undefined, defaults: [] };
}
