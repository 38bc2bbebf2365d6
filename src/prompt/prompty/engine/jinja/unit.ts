import { MAX_LEVELS, MAX_SYNTAX_DEPTH, MAX_TOKENS } from '../budgets.ts';
import { checkedSource, errorAt, syntaxError, type Place, type Source } from '../place.ts';
import { parseTemplate } from './parse-template.ts';
import type { Body } from './syntax.ts';

/** What a block or an included template costs, whatever is in it. */
const PART_TOKENS = 20;

/** What one template and all it includes share while they are compiled. */
class Session {
  readonly #registry: ReadonlyMap<string, string> | undefined;
  readonly #parsed = new Map<string, Body>();
  #tokens = 0;
  #depth = 0;
  #level = 0;
  #macroLevel = 0;

  constructor(registry: ReadonlyMap<string, string> | undefined) {
    this.#registry = registry;
  }

  /** The parsed template of a name; undefined if there is none. */
  load(name: string): Body | undefined {
    const known = this.#parsed.get(name);
    if (known !== undefined) return known;
    const text = this.#registry?.get(name);
    if (text === undefined) return undefined;
    const body = parseTemplate(jinjaSource({ text, name }));
    this.#parsed.set(name, body);
    return body;
  }

  /** How many tokens have been compiled, those of all that is included as often as it is. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Pays for what is compiled; `place` is where it begins. */
  pay(tokens: number, place: Place): void {
    this.#tokens += tokens;
    if (this.#tokens <= MAX_TOKENS) return;
    const message = `The template with all it includes has more than ${MAX_TOKENS} words and signs in tags`;
    throw errorAt('template_too_large', place, message);
  }

  /** How many statements and operations stand around this one, up to the macro it belongs to. */
  get level(): number {
    return this.#level - this.#macroLevel;
  }

  /** Begins a statement or operation. */
  enter(place: Place): void {
    this.#level += 1;
    if (this.#level > MAX_LEVELS) throw errorAt('template_nesting_exceeded', place, 'The template is nested too deep');
  }

  leave(): void {
    this.#level -= 1;
  }

  /** Compiles a macro: what it stands in is not around it when it is called. */
  macro(compile: () => void): void {
    const outer = this.#macroLevel;
    this.#macroLevel = this.#level;
    compile();
    this.#macroLevel = outer;
  }

  deeper<Compiled>(place: Place, compile: () => Compiled): Compiled {
    this.pay(PART_TOKENS, place);
    this.#depth += 1;
    if (this.#depth > MAX_SYNTAX_DEPTH) {
      throw errorAt('template_nesting_exceeded', place, 'Blocks and includes are nested too deep');
    }
    const compiled = compile();
    this.#depth -= 1;
    return compiled;
  }
}

/** A template with those it extends: what its blocks are. */
export class Unit {
  readonly session: Session;
  readonly #names: readonly string[];
  readonly #blocks = new Map<string, Body[]>();

  private constructor(session: Session, names: readonly string[]) {
    this.session = session;
    this.#names = names;
  }

  static root(registry: ReadonlyMap<string, string> | undefined): Unit {
    return new Unit(new Session(registry), []);
  }

  /** The unit of an included template. @throws ValueError `template_syntax` if it includes itself */
  included(name: string, place: Place): Unit {
    return new Unit(this.session, this.#extended(name, place));
  }

  /** The unit with one more template it extends, its blocks kept. @throws ValueError `template_syntax` if it extends itself */
  extending(name: string, place: Place): Unit {
    const unit = new Unit(this.session, this.#extended(name, place));
    for (const [block, bodies] of this.#blocks) unit.#blocks.set(block, bodies);
    return unit;
  }

  /** Adds the definitions of a less derived template. @throws ValueError `template_syntax` if a block is there twice */
  addBlocks(body: Body): void {
    const own = new Set<string>();
    eachBlock(body, (name, block, place) => {
      if (own.has(name)) throw syntaxError(place, `The block ${name} is defined twice`);
      own.add(name);
      this.#blocks.set(name, [...(this.#blocks.get(name) ?? []), block]);
    });
  }

  block(name: string): readonly Body[] {
    return this.#blocks.get(name) ?? [];
  }

  #extended(name: string, place: Place): readonly string[] {
    if (this.#names.includes(name)) throw syntaxError(place, `The template ${name} includes or extends itself`);
    return [...this.#names, name];
  }
}

/**
 * Line ends are `\n`, and one at the end of the text is not part of the template, as in Jinja2.
 *
 * @throws ValueError `template_too_large`
 */
export function jinjaSource(source: Source): Source {
  const { text } = checkedSource(source);
  const lines = text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
  return { ...source, text: lines.endsWith('\n') ? lines.slice(0, -1) : lines };
}

function eachBlock({ statements }: Body, visit: (name: string, body: Body, place: Place) => void): void {
  for (const statement of statements) {
    if (statement.kind === 'block') visit(statement.name, statement.body, statement.place);
    if (statement.kind === 'if') {
      for (const { body } of statement.branches) eachBlock(body, visit);
      if (statement.otherwise) eachBlock(statement.otherwise, visit);
    }
    if ('body' in statement) eachBlock(statement.body, visit);
    if (statement.kind === 'for' && statement.otherwise) eachBlock(statement.otherwise, visit);
  }
}
