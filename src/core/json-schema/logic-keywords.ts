import { own } from '../record.ts';
import type { CheckRun, Keyword, KeywordPlace, SchemaCheck, SchemaIssue } from './schema-check.ts';
import { badSchema } from './schema-walk.ts';

/** What combines schemas. */
export const LOGIC_KEYWORDS: readonly (readonly [string, Keyword])[] = [
  ['allOf', allOf],
  ['anyOf', anyOf],
  ['oneOf', oneOf],
  ['not', not],
  ['if', conditional],
];

function compileList(argument: unknown, place: KeywordPlace): readonly SchemaCheck[] {
  if (!Array.isArray(argument) || argument.length === 0) {
    throw badSchema(place.pointer, 'expected a list of at least one schema');
  }
  return argument.map((schema: unknown, at) => place.compile(schema, `${place.pointer}/${at}`));
}

/** Runs a check aside; the steps it takes count. */
function issuesOf(check: SchemaCheck, value: unknown, at: { path: string; run: CheckRun }): readonly SchemaIssue[] {
  const aside: CheckRun = { issues: [], stepsLeft: at.run.stepsLeft, depth: at.run.depth };
  check(value, at.path, aside);
  at.run.stepsLeft = aside.stepsLeft;
  return aside.issues;
}

function allOf(argument: unknown, place: KeywordPlace): SchemaCheck {
  const checks = compileList(argument, place);
  return (value, path, run) => {
    for (const check of checks) check(value, path, run);
  };
}

function anyOf(argument: unknown, place: KeywordPlace): SchemaCheck {
  const checks = compileList(argument, place);
  return (value, path, run) => {
    let closest: readonly SchemaIssue[] | undefined;
    for (const check of checks) {
      const issues = issuesOf(check, value, { path, run });
      if (issues.length === 0) return;
      if (!closest || issues.length < closest.length) closest = issues;
    }
    const reasons = (closest ?? []).map((issue) => `${issue.path || 'it'} ${issue.message}`).join('; ');
    run.issues.push({ path, message: `fits none of the allowed forms (closest: ${reasons})` });
  };
}

function oneOf(argument: unknown, place: KeywordPlace): SchemaCheck {
  const checks = compileList(argument, place);
  return (value, path, run) => {
    const fitting = checks.filter((check) => issuesOf(check, value, { path, run }).length === 0).length;
    if (fitting === 1) return;
    run.issues.push({ path, message: `must fit exactly one of ${checks.length} forms, fits ${fitting}` });
  };
}

function not(argument: unknown, place: KeywordPlace): SchemaCheck {
  const check = place.compile(argument, place.pointer);
  return (value, path, run) => {
    if (issuesOf(check, value, { path, run }).length === 0)
      run.issues.push({ path, message: 'has a form that is excluded' });
  };
}

function conditional(argument: unknown, place: KeywordPlace): SchemaCheck {
  const condition = place.compile(argument, place.pointer);
  const yes = branch('then', place);
  const no = branch('else', place);
  return (value, path, run) => {
    const chosen = issuesOf(condition, value, { path, run }).length === 0 ? yes : no;
    chosen?.(value, path, run);
  };
}

function branch(word: 'then' | 'else', place: KeywordPlace): SchemaCheck | undefined {
  const schema = own(place.schema, word);
  return schema === undefined ? undefined : place.compile(schema, place.pointer.replace(/if$/, word));
}
