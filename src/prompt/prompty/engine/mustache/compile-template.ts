import { MAX_TEMPLATE_UNITS, UNITS_PER_TOKEN } from '../budgets.ts';
import { escapeMarkup } from '../../../../core/escape-markup.ts';
import { listOf, notData } from '../own-data.ts';
import { checkedSource, type Place, type Source } from '../place.ts';
import { Run } from '../run.ts';
import type { CompiledTemplate } from '../template.ts';
import { textOf } from '../text-of.ts';
import { KeptPartials, MAX_KEPT_UNITS } from './kept-partials.ts';
import { compileLookUp, type Context, type LookUp, type Partial } from './context.ts';
import { parseMustache, type Part, type Parts } from './parse.ts';

/** Switches of {@link compileMustache}. */
export interface MustacheOptions {
  readonly registry: ReadonlyMap<string, string> | undefined;
  /** Whether `{{x}}` escapes `& < > "` for HTML. */
  readonly escape: boolean;
}

/** Compiles a Mustache template into closures. @throws ValueError `template_syntax`, `template_too_large`, `template_nesting_exceeded` */
export function compileMustache(text: string, options: MustacheOptions): CompiledTemplate {
  const source = checkedSource({ text });
  const parsed = parseMustache(source);
  const { weight, hasPartials } = parsed;
  const write = compileParts(parsed, { ...options, partials: new KeptPartials() });
  const units = text.length + UNITS_PER_TOKEN * weight + (hasPartials ? MAX_KEPT_UNITS : 0);
  return { units, render: renderer({ begin: { source, at: 0 }, weight, write }) };
}

/** What is left of a template once it is compiled. */
type Rendering = { readonly begin: Place; readonly weight: number; readonly write: Exec };

function renderer({ begin, weight, write }: Rendering): CompiledTemplate['render'] {
  return (inputs, options) => {
    const run = new Run(inputs, 0, options);
    run.place = begin;
    run.spend(weight);
    write(run, { value: inputs, outer: undefined, met: new Map() });
    return run.finish();
  };
}

/** As that of Jinja2, and made as there: of a section nothing is kept but its path, place and weight. */
type Exec = (run: Run, context: Context) => void;
type Of<Kind extends Part['kind']> = Extract<Part, { readonly kind: Kind }>;

/** What the parts of one template share. A partial may use itself, so it is compiled when it is met first. */
interface Session extends MustacheOptions {
  readonly partials: KeptPartials;
}

function compileParts({ parts }: Parts, session: Session): Exec {
  const turns: Turn[] = [];
  let text = '';
  for (const part of parts) {
    if (part.kind === 'text') {
      text += part.text;
    } else {
      turns.push({ text, write: compilePart(part, session) });
      text = '';
    }
  }
  return inTurn(turns, text);
}

/** A tag, and the text before it. */
type Turn = { readonly text: string; readonly write: Exec };

function inTurn(turns: readonly Turn[], rest: string): Exec {
  return (run, context) => {
    for (const { text, write } of turns) {
      if (text !== '') run.literal(text);
      write(run, context);
    }
    if (rest !== '') run.literal(rest);
  };
}

function compilePart(part: Exclude<Part, { readonly kind: 'text' }>, session: Session): Exec {
  switch (part.kind) {
    case 'variable':
      return compileVariable(part, session);
    case 'section':
      return part.isInverted ? compileInverted(part, session) : compileSection(part, session);
    case 'partial':
      return compilePartial(part, session);
  }
}

function compileVariable({ path, isEscaped, place }: Of<'variable'>, { escape }: Session): Exec {
  const lookUp = compileLookUp(path);
  const isForHtml = isEscaped && escape;
  return (run, context) => {
    run.place = place;
    const value = lookUp(context, run);
    const text = typeof value === 'string' ? value : textOf(value, run);
    const marks = isForHtml && typeof value !== 'number' && MARKUP.test(text) ? countMarkup(text) : 0;
    if (marks === 0 || run.isPlaceholder(text)) return run.input(text);
    run.reserve(text.length);
    run.spend((text.length >> 4) + ESCAPE_STEPS * marks);
    run.input(run.changed(text, escapeMarkup(text)));
  };
}

/** What a character costs that is escaped. */
const ESCAPE_STEPS = 3;

/** What is escaped for HTML. */
const MARKUP = /[&<>"]/;

/** How many characters are escaped for HTML. */
function countMarkup(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) if (isMarkup(text.charCodeAt(at))) count += 1;
  return count;
}

function isMarkup(code: number): boolean {
  return code <= GREATER && (code === GREATER || code === LESS || code === AMPERSAND || code === QUOTE);
}

const [QUOTE, AMPERSAND, LESS, GREATER] = [0x22, 0x26, 0x3c, 0x3e];

function compileSection({ path, body, place }: Of<'section'>, session: Session): Exec {
  const write = compileParts(body, session);
  return forEach({ lookUp: compileLookUp(path), place, weight: body.weight + 1, write });
}

/** A section whose body is compiled. */
type Section = {
  readonly lookUp: LookUp;
  readonly place: Place;
  readonly weight: number;
  readonly write: Exec;
};

function forEach({ lookUp, place, weight, write }: Section): Exec {
  return (run, context) => {
    run.place = place;
    const inner: Context = { value: undefined, outer: context, met: context.met };
    for (const element of elementsOf(lookUp(context, run), run)) {
      run.place = place;
      run.spend(weight);
      inner.value = element;
      write(run, inner);
    }
  };
}

function compileInverted({ path, body, place }: Of<'section'>, session: Session): Exec {
  return forNone({ lookUp: compileLookUp(path), place, write: compileParts(body, session) });
}

function forNone({ lookUp, place, write }: Omit<Section, 'weight'>): Exec {
  return (run, context) => {
    run.place = place;
    if (elementsOf(lookUp(context, run), run).length === 0) write(run, context);
  };
}

/** What a section is about: false, null, what is missing, empty texts, and zero are nothing. Lambdas are refused. */
function elementsOf(value: unknown, run: Run): readonly unknown[] {
  if (typeof value === 'function') throw notData(value, run);
  return listOf(value, run) ?? (value ? [value] : []);
}

function compilePartial(part: Of<'partial'>, session: Session): Exec {
  const { name, indent, level, place } = part;
  const key = `${indent}:${name}`;
  return (run, context) => {
    run.place = place;
    run.enter(level);
    const partial = context.met.get(key) ?? meet(part, session, run);
    context.met.set(key, partial);
    run.spend(partial.weight + 1);
    partial.write(run, context);
    run.leave(level);
  };
}

/** What a tag of a partial costs when the partial is met first, whether it has been compiled before or not. */
const COMPILE_STEPS = 40;
const EMPTY: Partial = { write: () => undefined, weight: 0 };

/** A partial that nobody registered is empty, as the specification of Mustache wants it. */
function meet({ name, indent }: Of<'partial'>, session: Session, run: Run): Partial {
  const text = session.registry?.get(name);
  if (text === undefined) return EMPTY;
  // Its own bound is of the text as it was registered, which is longer where it is indented.
  const source = checkedSource({ text, name });
  run.read(text);
  const units = text.length + indent.length * (indent === '' ? 0 : text.split('\n').length);
  if (units > MAX_INDENTED_UNITS) throw run.error('template_too_large', tooFar(name));
  run.make(units);
  const key = `${indent}:${name}`;
  const partial = session.partials.get(key) ?? compilePartialText(source, indent, session);
  run.spend(COMPILE_STEPS * (partial.weight + 2));
  session.partials.keep(key, partial, units + UNITS_PER_TOKEN * partial.weight);
  return partial;
}

/** What a partial may become by its indent, whatever the budget of output is. */
const MAX_INDENTED_UNITS = 4 * MAX_TEMPLATE_UNITS;

function tooFar(name: string): string {
  return `The partial "${name}" has more than ${MAX_INDENTED_UNITS} characters as far as it is indented here`;
}

/** Where a line of a partial begins: behind `\n` alone, which `^` of a pattern with `m` is not. */
const LINE_START = /(?<![^\n])(?=[^])/g;

function compilePartialText(source: Source, indent: string, session: Session): Partial {
  const text = indent === '' ? source.text : source.text.replaceAll(LINE_START, indent);
  const parsed = parseMustache({ ...source, text });
  return { write: compileParts(parsed, session), weight: parsed.weight };
}
