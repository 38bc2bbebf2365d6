import { escapeMarkup } from '../../../../core/escape-markup.ts';
import { listOf, notData } from '../own-data.ts';
import { Run } from '../run.ts';
import type { CompiledTemplate } from '../template.ts';
import { textOf } from '../text-of.ts';
import { lookUp, type Context } from './context.ts';
import { parseMustache, type Part, type Parts } from './parse.ts';

/** Switches of {@link compileMustache}. */
export interface MustacheOptions {
  readonly registry: ReadonlyMap<string, string> | undefined;
  /** Whether `{{x}}` escapes `& < > "` for HTML. */
  readonly escape: boolean;
}

/** Compiles a Mustache template into closures. @throws ValueError `template_syntax`, `template_too_large`, `template_nesting_exceeded` */
export function compileMustache(text: string, options: MustacheOptions): CompiledTemplate {
  const parsed = parseMustache({ text });
  const write = compileParts(parsed, { ...options, partials: new Map() });
  return {
    render(inputs, renderOptions) {
      const run = new Run(inputs, 0, renderOptions);
      run.spend(parsed.weight);
      write(run, { value: inputs, outer: undefined });
      return run.finish();
    },
  };
}

type Exec = (run: Run, context: Context) => void;
type Of<Kind extends Part['kind']> = Extract<Part, { readonly kind: Kind }>;

/** What the parts of one template share. A partial may use itself, so it is compiled when it is met first. */
interface Session extends MustacheOptions {
  /** By indent and name. */
  readonly partials: Map<string, Partial>;
}

type Partial = { readonly write: Exec; readonly weight: number };

function compileParts({ parts }: Parts, session: Session): Exec {
  const execs = parts.map((part) => compilePart(part, session));
  return (run, context) => {
    for (const exec of execs) exec(run, context);
  };
}

function compilePart(part: Part, session: Session): Exec {
  switch (part.kind) {
    case 'text':
      return (run) => run.literal(part.text);
    case 'variable':
      return compileVariable(part, session);
    case 'section':
      return part.isInverted ? compileInverted(part, session) : compileSection(part, session);
    case 'partial':
      return compilePartial(part, session);
  }
}

/** What is escaped for HTML. */
const MARKUP = /[&<>"]/;

function compileVariable({ path, isEscaped, place }: Of<'variable'>, { escape }: Session): Exec {
  const isForHtml = isEscaped && escape;
  return (run, context) => {
    run.place = place;
    const text = textOf(lookUp(path, context, run), run);
    if (!isForHtml || !MARKUP.test(text)) return run.input(text);
    run.reserve(text.length);
    run.spend(text.length >> 1);
    run.input(escapeMarkup(text));
  };
}

function compileSection({ path, body, place }: Of<'section'>, session: Session): Exec {
  const write = compileParts(body, session);
  const weight = body.weight + 1;
  return (run, context) => {
    run.place = place;
    for (const element of elementsOf(lookUp(path, context, run), run)) {
      run.place = place;
      run.spend(weight);
      write(run, { value: element, outer: context });
    }
  };
}

function compileInverted({ path, body, place }: Of<'section'>, session: Session): Exec {
  const write = compileParts(body, session);
  return (run, context) => {
    run.place = place;
    if (elementsOf(lookUp(path, context, run), run).length === 0) write(run, context);
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
    const partial = session.partials.get(key) ?? newPartial(part, session, run);
    session.partials.set(key, partial);
    run.spend(partial.weight + 1);
    partial.write(run, context);
    run.leave(level);
  };
}

/** A partial that nobody registered is empty, as the specification of Mustache wants it. */
function newPartial({ name, indent }: Of<'partial'>, session: Session, run: Run): Partial {
  const text = session.registry?.get(name);
  if (text === undefined) return { write: () => undefined, weight: 0 };
  run.read(text);
  const indented = indent === '' ? text : text.replaceAll(/^(?=[^])/gm, indent);
  const parsed = parseMustache({ text: indented, name });
  return { write: compileParts(parsed, session), weight: parsed.weight };
}
