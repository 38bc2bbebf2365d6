import type { ErrorPlace } from '../../../core/errors.ts';
import { MAX_TEMPLATE_UNITS } from './budgets.ts';
import { ValueError } from './value-error.ts';

/** A text of a template; `name` is its name in the registry, absent for the template itself. */
export interface Source {
  readonly text: string;
  readonly name?: string;
}

/** A position in a template. */
export interface Place {
  readonly source: Source;
  /** UTF-16 units from its beginning. */
  readonly at: number;
}

/** Line and column (both from 1) of a place, counted only when somebody asks. */
function describePlace({ source, at }: Place): ErrorPlace {
  const before = source.text.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  return source.name === undefined ? { line, column } : { file: source.name, line, column };
}

/** A source that is not longer than any template may be. @throws ValueError `template_too_large` */
export function checkedSource(source: Source): Source {
  if (source.text.length <= MAX_TEMPLATE_UNITS) return source;
  const message = `The template has more than ${MAX_TEMPLATE_UNITS} characters`;
  throw errorAt('template_too_large', { source, at: MAX_TEMPLATE_UNITS }, message);
}

/** The error for a template that can't be read. */
export function syntaxError(place: Place, message: string): ValueError {
  return errorAt('template_syntax', place, message);
}

/** An error that names its line and column also in its message. */
export function errorAt(code: ConstructorParameters<typeof ValueError>[0], place: Place, message: string): ValueError {
  const where = describePlace(place);
  return new ValueError(code, `${message} (line ${where.line}, column ${where.column})`, where);
}
