import type { AskedBudgets } from './budgets.ts';
import { compileJinja } from './jinja/compile-template.ts';
import { compileMustache } from './mustache/compile-template.ts';
import type { TemplateCache } from './template-cache.ts';

/** The template languages of S4. */
export type TemplateFormat = 'jinja2' | 'mustache';

/** A rendered text, and which of its characters came out of inputs. */
export interface Rendered {
  readonly text: string;
  /** Pairs `start, end` (UTF-16 units, end exclusive) one after the other, ascending, none empty, none touching. */
  readonly inputSpans: readonly number[];
}

/** What kind of thing a text stands for; each text begins with `NONCE_START`. */
export type Placeholders = ReadonlyMap<string, { readonly kind: string }>;

/** Options of {@link CompiledTemplate.render}. */
export interface RenderTemplateOptions {
  /** Default: `DEFAULT_BUDGETS`, field by field. */
  readonly budgets?: AskedBudgets;
  /** False leaves `inputSpans` empty. Default true. */
  readonly spans?: boolean;
  /** Texts among the inputs that stand for something that is no text. They can be written, neither changed nor looked into. */
  readonly placeholders?: Placeholders;
}

/** A template ready to be rendered any number of times. */
export interface CompiledTemplate {
  /** The memory it holds at most, in UTF-16 units of text that would take as much. */
  readonly units: number;
  /**
   * Reads nothing but own enumerable data properties of the inputs and calls nothing in them.
   *
   * @throws ValueError `template_value`, `template_steps_exceeded`, `template_output_exceeded`, `template_nesting_exceeded`
   */
  readonly render: (inputs: Readonly<Record<string, unknown>>, options?: RenderTemplateOptions) => Rendered;
}

/** Options of {@link compileTemplate}. */
export interface CompileOptions {
  /** Templates by name, for `include`, `extends` and partials. Must not change afterwards. */
  readonly registry?: ReadonlyMap<string, string>;
  /** Where compiled templates are kept. Without one the text is compiled on each call. */
  readonly cache?: TemplateCache;
  /** False switches off the HTML escaping of Mustache; Jinja2 has none. Default true. */
  readonly escape?: boolean;
}

/**
 * Compiles a template (S4 §5.5; what is supported beyond the floor is in ADR 50).
 *
 * @throws ValueError `template_syntax` with line and column, `template_too_large`
 */
export function compileTemplate(text: string, format: TemplateFormat, options: CompileOptions = {}): CompiledTemplate {
  const { registry, cache } = options;
  const escape = options.escape ?? true;
  const compile = (): CompiledTemplate =>
    format === 'jinja2' ? compileJinja(text, registry) : compileMustache(text, { registry, escape });
  if (cache === undefined) return compile();
  return cache.get({ text, variant: escape ? format : `${format}, not escaped`, registry }, compile);
}
