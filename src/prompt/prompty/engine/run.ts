import { DEFAULT_BUDGETS, MAX_LEVELS_UNDER_WAY } from './budgets.ts';
import { NONCE_START } from './nonce-start.ts';
import { errorAt, type Place } from './place.ts';
import type { Placeholders, RenderTemplateOptions, Rendered } from './template.ts';
import { ValueError, type ValueErrorCode } from './value-error.ts';
import { Written } from './written.ts';

/** A slot of {@link Run.frame} nothing has been put into. */
export const UNSET: unique symbol = Symbol('unset');

/**
 * One rendering: the text so far, where it came from, and what is left of the budgets. Owned by one `render` call.
 *
 * 1. `spans` are ascending pairs into `text`; touching ones are one pair, an empty input is an empty pair.
 * 2. What is written is paid for before it is written, and never paid back.
 * 3. `place` is where the operation stands that is carried out, for its error.
 */
export class Run {
  readonly inputs: Readonly<Record<string, unknown>>;
  /** The variables of a Jinja2 template, by slot. */
  readonly frame: unknown[];
  readonly nesting: number;
  place: Place | undefined;
  /** The list or map that was last found to be data. */
  known: object | undefined;
  /** The list or map that was last found not to be empty. */
  filled: object | undefined;
  #text = '';
  #spans: number[] = [];
  readonly #placeholders: Placeholders | undefined;
  readonly #withSpans: boolean;
  readonly #outputLimit: number;
  #output: number;
  #steps: number;
  #depth = 0;
  #levels = 0;

  constructor(inputs: Readonly<Record<string, unknown>>, slots: number, options: RenderTemplateOptions | undefined) {
    const budgets = options?.budgets;
    this.inputs = inputs;
    this.frame = newFrame(slots);
    this.nesting = budgets?.nesting ?? DEFAULT_BUDGETS.nesting;
    this.#placeholders = options?.placeholders;
    this.#withSpans = options?.spans ?? true;
    this.#outputLimit = budgets?.output ?? DEFAULT_BUDGETS.output;
    this.#output = this.#outputLimit;
    this.#steps = budgets?.steps ?? DEFAULT_BUDGETS.steps;
  }

  /** Pays for work that is about to be done. */
  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw this.error('template_steps_exceeded', 'The template takes too many steps');
  }

  /** Pays for a text that is looked at from its beginning to its end. */
  read(text: string): void {
    this.spend(1 + (text.length >> 4));
  }

  /** Pays for looking for a text in another: at worst all of one is compared at every place of the other. */
  search(whole: string, part: string): void {
    this.spend((1 + (whole.length >> 3)) * (1 + (part.length >> 5)));
  }

  /** Pays for a text that is put together of others, before it is made; refuses one that would be larger than all output may be. */
  make(units: number): void {
    this.reserve(units);
    this.spend(units >> 4);
  }

  /** Refuses a text that would be larger than all output may be, before it is made. */
  reserve(units: number): void {
    if (!(units <= this.#outputLimit)) throw this.#tooMuchOutput();
  }

  /** Whether a text is a placeholder and nothing else. */
  isPlaceholder(text: string): boolean {
    return this.#placeholders?.has(text) === true;
  }

  /** What became of a text. Refused where a placeholder in it is no longer whole: nobody would know what it stands for. */
  changed(before: string, after: string): string {
    const lost = before === after ? undefined : this.#held(before).find((placeholder) => !after.includes(placeholder));
    if (lost !== undefined) throw this.#cutUp(lost);
    return after;
  }

  /** Refuses a text that holds a placeholder, for what goes by the characters of a text: some of them would be random ones. */
  lookInto(text: string): void {
    const [first] = this.#held(text);
    if (first !== undefined) throw this.#cutUp(first);
  }

  /** Where placeholders stand in a text: their beginnings and ends, in order. */
  placeholdersIn(text: string): readonly (readonly [start: number, end: number])[] {
    const spans: [number, number][] = [];
    for (const placeholder of this.#held(text)) {
      const { length } = placeholder;
      for (let at = text.indexOf(placeholder); at !== -1; at = text.indexOf(placeholder, at + length)) {
        spans.push([at, at + length]);
      }
    }
    return spans.toSorted(([one], [other]) => one - other);
  }

  /** The placeholders in a text. What each may begin with is looked for first: most texts cost the same however many there are. */
  #held(text: string): readonly string[] {
    if (this.#placeholders === undefined || text.length < NONCE_START.length) return [];
    this.read(text);
    if (!text.includes(NONCE_START)) return [];
    return [...this.#placeholders.keys()].filter((placeholder) => {
      this.read(text);
      return text.includes(placeholder);
    });
  }

  #cutUp(placeholder: string): ValueError {
    const kind = this.#placeholders?.get(placeholder)?.kind;
    const what = kind === 'thread' ? 'A thread' : `An input of the kind ${kind}`;
    return this.refuse(
      `${what} stands in a prompt as it is: it can't be changed, counted, put in order or looked into`,
    );
  }

  /** Writes what stands in the template. */
  literal(text: string): void {
    this.#pay(text.length);
    this.#text += text;
  }

  /** Writes what came out of an input. */
  input(text: string): void {
    const { length } = text;
    this.#pay(length);
    const start = this.#text.length;
    this.#text += text;
    if (this.#withSpans) this.#mark(start, start + length);
  }

  /** Writes what the template wrote before. */
  written({ text, spans }: Written): void {
    const start = this.#text.length;
    this.literal(text);
    for (let at = 0; at + 1 < spans.length; at += 2) this.#mark(start + (spans[at] ?? 0), start + (spans[at + 1] ?? 0));
  }

  /** What `body` writes, kept instead of written. */
  capture(body: (run: Run) => void): Written {
    const [text, spans] = [this.#text, this.#spans];
    this.#text = '';
    this.#spans = [];
    body(this);
    const captured = new Written(this.#text, this.#spans);
    this.#text = text;
    this.#spans = spans;
    return captured;
  }

  /** Goes one macro or partial deeper; `levels` is what stands around the tag that calls it. */
  enter(levels: number): void {
    this.#depth += 1;
    this.#levels += levels;
    if (this.#depth > this.nesting || this.#levels > MAX_LEVELS_UNDER_WAY)
      throw this.error('template_nesting_exceeded', 'Macros or partials are nested too deep');
  }

  leave(levels: number): void {
    this.#depth -= 1;
    this.#levels -= levels;
  }

  /** The error of an operation that can't take a value. */
  refuse(message: string): ValueError {
    return this.error('template_value', message);
  }

  error(code: ValueErrorCode, message: string): ValueError {
    return this.place === undefined ? new ValueError(code, message) : errorAt(code, this.place, message);
  }

  finish(): Rendered {
    return { text: this.#text, inputSpans: this.#spans };
  }

  #pay(units: number): void {
    this.#output -= units;
    if (this.#output < 0) throw this.#tooMuchOutput();
  }

  #tooMuchOutput(): ValueError {
    return this.error('template_output_exceeded', `The template writes more than ${this.#outputLimit} characters`);
  }

  #mark(start: number, end: number): void {
    const spans = this.#spans;
    const last = spans.length - 1;
    if (last > 0 && spans[last] === start) spans[last] = end;
    else spans.push(start, end);
  }
}

function newFrame(slots: number): unknown[] {
  const frame: unknown[] = [];
  for (let slot = 0; slot < slots; slot += 1) frame.push(UNSET);
  return frame;
}
