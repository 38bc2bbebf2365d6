import { own } from '../record.ts';
import { ARRAY_KEYWORDS } from './array-keywords.ts';
import { LOGIC_KEYWORDS } from './logic-keywords.ts';
import { OBJECT_KEYWORDS } from './object-keywords.ts';
import { compilePlainCheck } from './plain-check.ts';
import { schemaPatterns } from './schema-patterns.ts';
import { asSchema, badSchema, resolveRef, type JsonSchema } from './schema-walk.ts';
import type { CheckRun, Keyword, KeywordPlace, SchemaCheck, SchemaIssue } from './schema-check.ts';
import { VALUE_KEYWORDS } from './value-keywords.ts';

const KEYWORDS: ReadonlyMap<string, Keyword> = new Map([
  ...VALUE_KEYWORDS,
  ...OBJECT_KEYWORDS,
  ...ARRAY_KEYWORDS,
  ...LOGIC_KEYWORDS,
]);

/** Keywords that constrain and are not implemented: refused, since ignoring them would accept what they forbid. */
const REFUSED: ReadonlySet<string> = new Set([
  'unevaluatedProperties',
  'unevaluatedItems',
  'dependentSchemas',
  'dependencies',
  'contains',
  'minContains',
  'maxContains',
  '$dynamicRef',
  '$recursiveRef',
]);

/** An input that costs more steps than this against a schema is refused: nested `anyOf` can multiply. */
const MAX_STEPS = 100_000;
/** Schemas applied inside schemas: a `$ref` may lead back to itself without going deeper into the input. */
const MAX_DEPTH = 256;

const NO_ISSUES: readonly SchemaIssue[] = [];

/**
 * Compiles a JSON Schema (the 2020-12 keywords tools use) to a function that lists what does not fit; an empty list
 * means it fits. Unknown words are annotations, as the standard says. `pattern` runs on a linear-time engine. `format`
 * is an annotation. Own properties only.
 *
 * @throws SkeinError `invalid_item` for a malformed schema or a keyword that constrains and is not supported.
 */
export function compileSchema(root: unknown): (value: unknown) => readonly SchemaIssue[] {
  const schema = asSchema(root, '#');
  const check = schemaCompiler(schema);
  const fits = compilePlainCheck(schema);
  return (value) => {
    if (fits?.(value)) return NO_ISSUES;
    const run: CheckRun = { issues: [], stepsLeft: MAX_STEPS, depth: 0 };
    check(value, '', run);
    return run.stepsLeft > 0 ? run.issues : [{ path: '', message: 'takes too much work to check against the schema' }];
  };
}

function schemaCompiler(root: JsonSchema): SchemaCheck {
  const references = new Map<string, { check: SchemaCheck | undefined }>();
  const pattern = schemaPatterns();

  const compile = (node: unknown, pointer: string): SchemaCheck => {
    const schema = asSchema(node, pointer);
    if (schema === true) return () => {};
    if (schema === false) return (_value, path, run) => run.issues.push({ path, message: 'is not allowed here' });
    const checks = Object.keys(schema).flatMap((word) => {
      const place: KeywordPlace = { schema, pointer, compile, pattern };
      const check =
        word === '$ref' ? reference(own(schema, word), `${pointer}/${word}`) : keyword(word, own(schema, word), place);
      return check ?? [];
    });
    return counted(checks);
  };

  const reference = (ref: unknown, pointer: string): SchemaCheck => {
    const key = String(ref);
    const known = references.get(key) ?? { check: undefined };
    if (!references.has(key)) {
      references.set(key, known);
      known.check = compile(resolveRef(root, ref, pointer), key);
    }
    return (value, path, run) => known.check?.(value, path, run);
  };

  return compile(root, '#');
}

function keyword(word: string, argument: unknown, place: KeywordPlace): SchemaCheck | undefined {
  if (REFUSED.has(word)) throw badSchema(`${place.pointer}/${word}`, `the keyword ${word} is not supported`);
  return KEYWORDS.get(word)?.(argument, { ...place, pointer: `${place.pointer}/${word}` });
}

/** Applies checks within the bounds of the run; the caller looks at `stepsLeft`, since issues found aside are dropped. */
function counted(checks: readonly SchemaCheck[]): SchemaCheck {
  return (value, path, run) => {
    run.stepsLeft = run.depth >= MAX_DEPTH ? 0 : run.stepsLeft - 1;
    if (run.stepsLeft <= 0) return;
    run.depth += 1;
    for (const check of checks) check(value, path, run);
    run.depth -= 1;
  };
}
