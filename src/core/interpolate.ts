import { SkeinError } from './errors.ts';
import { asText, compilePath } from './path.ts';
import { setOwn } from './record.ts';

/** A template ready to be filled from a context. */
export type Template = (context: unknown) => unknown;

/** Deepest nesting of maps and lists in a template. */
const MAX_DEPTH = 64;

/**
 * Compiles a value with `${path}` expressions (S2 §7.1 and contracts, "Interpolation"). Strings, maps (values only) and
 * lists are searched; everything else is returned as it is. A string that is exactly one expression yields the field
 * itself, type kept and not copied; inside other text a field becomes text. Missing and null fields yield `""`, `$$` is
 * a literal `$`, an unclosed or empty expression stays literal. A value without expressions is returned unchanged.
 *
 * @throws SkeinError `invalid_argument` when the value is nested deeper than 64 levels.
 */
export function compileTemplate(value: unknown): Template {
  const part = compilePart(value, 0);
  return part.kind === 'dynamic' ? part.fill : () => part.value;
}

/** Compiles a text in which `write` says what becomes of a field, also of one that is all of it; else as {@link compileTemplate}. */
export function compileText(text: string, write: (field: unknown) => string): (context: unknown) => string {
  const pieces = scan(text, compilePath);
  return (context) => {
    let filled = '';
    for (const piece of pieces) filled += typeof piece === 'string' ? piece : write(piece(context));
    return filled;
  };
}

/**
 * The paths of a template's expressions, in the order they stand, as they are written: for a place that knows which there
 * can be, and does not want a misspelt one to be empty.
 *
 * @throws SkeinError `invalid_argument` as {@link compileTemplate}
 */
export function templatePaths(value: unknown): readonly string[] {
  return pathsIn(value, 0);
}

function pathsIn(value: unknown, depth: number): readonly string[] {
  if (typeof value === 'string') return pathsInText(value);
  if (typeof value !== 'object' || value === null) return [];
  refuseDepth(depth);
  return Object.values(value).flatMap((item: unknown) => pathsIn(item, depth + 1));
}

function pathsInText(text: string): readonly string[] {
  const paths: string[] = [];
  scan(text, (path) => paths.push(path));
  return paths;
}

type Part =
  | { readonly kind: 'constant'; readonly value: unknown }
  | { readonly kind: 'dynamic'; readonly fill: Template };

function compilePart(value: unknown, depth: number): Part {
  if (typeof value === 'string') return compileString(value);
  if (typeof value !== 'object' || value === null) return constant(value);
  refuseDepth(depth);
  if (Array.isArray(value)) return compileList(value, depth);
  return compileMap(value, depth);
}

function refuseDepth(depth: number): void {
  if (depth < MAX_DEPTH) return;
  throw new SkeinError('invalid_argument', `template is nested deeper than ${MAX_DEPTH} levels`);
}

function compileList(list: readonly unknown[], depth: number): Part {
  const parts = list.map((item) => compilePart(item, depth + 1));
  if (isUnchanged(parts, list)) return constant(list);
  return dynamic((context) => parts.map((part) => fillPart(part, context)));
}

function compileMap(map: object, depth: number): Part {
  const keys = Object.keys(map);
  const values: readonly unknown[] = Object.values(map);
  const parts = values.map((item) => compilePart(item, depth + 1));
  if (isUnchanged(parts, values)) return constant(map);
  return dynamic((context) => {
    const filled: Record<string, unknown> = {};
    for (const [index, part] of parts.entries()) setOwn(filled, keys[index] ?? '', fillPart(part, context));
    return filled;
  });
}

function isUnchanged(parts: readonly Part[], values: readonly unknown[]): boolean {
  return parts.every((part, index) => part.kind === 'constant' && Object.is(part.value, values[index]));
}

function fillPart(part: Part, context: unknown): unknown {
  return part.kind === 'constant' ? part.value : part.fill(context);
}

function constant(value: unknown): Part {
  return { kind: 'constant', value };
}

function dynamic(fill: Template): Part {
  return { kind: 'dynamic', fill };
}

function compileString(text: string): Part {
  if (!text.includes('$')) return constant(text);
  const [first, ...rest] = scan(text, compilePath);
  if (first === undefined) return constant('');
  if (rest.length === 0) {
    return typeof first === 'string' ? constant(first) : dynamic((context) => first(context) ?? '');
  }
  return dynamic(compileText(text, asText));
}

/**
 * Splits a text into literals and what is made of the paths of its expressions, in one pass: each character is looked at a
 * fixed number of times.
 */
function scan<Expression>(text: string, make: (path: string) => Expression): readonly (string | Expression)[] {
  const pieces: (string | Expression)[] = [];
  const lastClose = text.lastIndexOf('}');
  let literal = '';
  let from = 0;
  for (let at = text.indexOf('$'); at !== -1;) {
    let next = at + 1;
    if (text[next] === '$') {
      literal += text.slice(from, next);
      from = next + 1;
      next = from;
    } else if (text[next] === '{' && lastClose > next) {
      const close = text.indexOf('}', next);
      if (close > next + 1) {
        pieces.push(literal + text.slice(from, at), make(text.slice(next + 1, close).trim()));
        literal = '';
        from = close + 1;
        next = from;
      }
    }
    at = text.indexOf('$', next);
  }
  pieces.push(literal + text.slice(from));
  return pieces.filter((piece) => piece !== '');
}
