import { SkeinError } from '../core/errors.ts';
import type { Action, DeclaredInput, Directive, DirectiveTemplate } from '../core/item.ts';
import type { PromptyMessage } from '../core/prompty-message.ts';
import { type EnvironmentRefs, fillInputRefs } from './input-refs.ts';
import { quote } from './reading.ts';
import { fitValue } from './value-types.ts';

type Declaring = Pick<Directive, 'id' | 'inputs'>;

/**
 * Completes and checks the inputs of a directive (S2 §7.4): defaults filled in, values made to fit the declared types,
 * undeclared extras passed through. Null counts as not given.
 *
 * @throws SkeinError `missing_input` naming every required input that is missing, `invalid_input` naming every value that
 * does not fit; both with `detail.declared_inputs`
 */
export function resolveInputs(directive: Declaring, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (Object.hasOwn(given, '__proto__')) throw invalid(directive, ['"__proto__" can\'t be the name of an input']);
  const values = new Map(Object.entries(given).filter(([, value]) => value !== undefined && value !== null));
  const problems: string[] = [];
  for (const input of directive.inputs) {
    const value = values.get(input.name) ?? input.default;
    if (value === undefined) continue;
    const fitted = fitValue(value, input.type);
    if (fitted.ok) values.set(input.name, fitted.value);
    else problems.push(`"${input.name}" is ${show(value)}; ${fitted.expected} is expected`);
  }
  checkRequired(directive, values);
  if (problems.length > 0) throw invalid(directive, problems);
  return Object.fromEntries(values);
}

/** The body of a directive with its inputs in it: one text, or with roles who says what, and no text. */
export type FilledBody = { readonly body: string; readonly messages?: readonly PromptyMessage[] };

/** Renders a template with inputs. @throws ValueError */
export type RenderBody = (template: DirectiveTemplate, inputs: Readonly<Record<string, unknown>>) => FilledBody;

/** What a directive is filled in with beside its inputs. */
export type FillSources = {
  readonly environment?: EnvironmentRefs | undefined;
  readonly renderTemplate?: RenderBody | undefined;
};

/**
 * The directive with its `{input:…}` references filled in: body, preamble, content, and the texts of its actions
 * (S2 §7.4). The values themselves are not looked at again. A body that is a template is rendered instead.
 *
 * @throws ValueError for a template, SkeinError `not_available` where nothing renders one
 */
export function fillDirective(
  directive: Directive,
  inputs: Readonly<Record<string, unknown>>,
  { environment, renderTemplate }: FillSources = {},
): Directive & FilledBody {
  const { template } = directive;
  const fill = (text: string): string => fillInputRefs(text, inputs, environment);
  if (template && !renderTemplate) throw new SkeinError('not_available', 'Templates are not rendered here');
  return {
    ...directive,
    preamble: fill(directive.preamble),
    ...(template && renderTemplate ? renderTemplate(template, inputs) : { body: fill(directive.body) }),
    content: fill(directive.content),
    actions: directive.actions.map((action) => fillAction(action, fill)),
  };
}

function fillAction(action: Action, fill: (text: string) => string): Action {
  const { primary, params, ...attributes } = action;
  return { ...fillTexts(attributes, fill), primary, params: fillTexts(params, fill) };
}

function fillTexts(
  record: Readonly<Record<string, unknown>>,
  fill: (text: string) => string,
): Readonly<Record<string, unknown>> {
  const filled = Object.entries(record).map(([key, value]) => [key, typeof value === 'string' ? fill(value) : value]);
  return Object.fromEntries(filled);
}

function checkRequired(directive: Declaring, values: ReadonlyMap<string, unknown>): void {
  const missing = directive.inputs.filter(({ name, required }) => required && !values.has(name));
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(', ');
  throw new SkeinError('missing_input', `Directive "${directive.id}" needs the inputs: ${names}`, {
    detail: declaredInputs(directive),
  });
}

function declaredInputs({ inputs }: Declaring): { readonly declared_inputs: readonly DeclaredInput[] } {
  return { declared_inputs: inputs.map((input) => ({ ...input })) };
}

function invalid(directive: Declaring, problems: readonly string[]): SkeinError {
  const message = `Directive "${directive.id}" can't use its inputs: ${problems.join('; ')}`;
  return new SkeinError('invalid_input', message, { detail: declaredInputs(directive) });
}

function show(value: unknown): string {
  return quote(typeof value === 'string' ? value : (JSON.stringify(value) ?? typeof value));
}
