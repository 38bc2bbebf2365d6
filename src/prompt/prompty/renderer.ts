import type { PromptyComponent } from '../../core/prompty-agent.ts';
import type { AskedBudgets } from './engine/budgets.ts';
import { compileTemplate, type Rendered, type RenderTemplateOptions, type TemplateFormat } from './engine/template.ts';
import { createTemplateCache, type TemplateCache } from './engine/template-cache.ts';
import { ValueError } from './engine/value-error.ts';
import type { NonceMap } from './prepare-inputs.ts';
import type { PromptyInputs } from './validate-inputs.ts';

/**
 * A template engine of one's own (S4 §5.6). It gets the template with a mark on each role line, and returns text: what of it
 * is a role line is known by the marks, whatever the inputs say. `format` is what the prompt says about its format.
 */
export interface Renderer {
  render(template: string, inputs: PromptyInputs, format: PromptyComponent): string;
  renderAsync(template: string, inputs: PromptyInputs, format: PromptyComponent): Promise<string>;
}

/** A template engine that knows which characters came out of inputs. It gets the template as it is. */
export interface TracingRenderer {
  readonly tellsInputs: true;
  /** The renderer of a call that has nonces, which may refuse to change them; without it they are texts like any other. */
  readonly forNonces?: (nonces: NonceMap) => TracingRenderer;
  render(template: string, inputs: PromptyInputs, format: PromptyComponent): Rendered;
  renderAsync(template: string, inputs: PromptyInputs, format: PromptyComponent): Promise<Rendered>;
}

/** What a registry of renderers holds. */
export type AnyRenderer = Renderer | TracingRenderer;

/** Options of the shipped renderers. */
export type TemplateOptions = {
  /** Templates by name, for `include`, `extends` and partials. Must not change afterwards. */
  readonly templates?: ReadonlyMap<string, string> | undefined;
  /** What one render may use at most. */
  readonly budgets?: AskedBudgets | undefined;
};

/** The renderers that ship: `jinja2` and `mustache`, which share a cache of compiled templates. */
export function shippedRenderers(options: TemplateOptions): Readonly<Record<TemplateFormat, AnyRenderer>> {
  const cache = createTemplateCache();
  return {
    jinja2: templateRenderer('jinja2', cache, options),
    mustache: templateRenderer('mustache', cache, options),
  };
}

/** `escape: false` beside the format's kind switches off Mustache's HTML escaping. */
function templateRenderer(
  kind: TemplateFormat,
  cache: TemplateCache,
  { templates, budgets }: TemplateOptions,
): TracingRenderer {
  const registry = templates && { registry: templates };
  const compileOptions = { cache, ...registry };
  const plain = { ...compileOptions, escape: false };
  const asked = budgets && { budgets };
  const rendererWith = (options?: RenderTemplateOptions): TracingRenderer => {
    const render: TracingRenderer['render'] = (template, inputs, { escape }) =>
      compileTemplate(template, kind, isEscaping(escape) ? compileOptions : plain).render(inputs, options);
    return { tellsInputs: true, render, renderAsync: async (...call) => render(...call) };
  };
  const forNonces = (placeholders: NonceMap): TracingRenderer => rendererWith({ ...asked, placeholders });
  return { ...rendererWith(asked), forNonces };
}

/** "no" is a text, and would escape as any other. */
function isEscaping(escape: unknown): boolean {
  if (escape === undefined || typeof escape === 'boolean') return escape !== false;
  throw new ValueError('invalid_input', 'template.format.escape is neither true nor false');
}
