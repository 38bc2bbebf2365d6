import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { systemClock } from './core/clock.ts';
import type { PromptyAgent } from './core/prompty-agent.ts';
import { SkeinError } from './core/errors.ts';
import { isRecord } from './core/record.ts';
import { escapeMarkup } from './core/escape-markup.ts';
import { LEAST_SECRET } from './core/redactor.ts';
import { refusedArgument } from './host/handle/argument-types.ts';
import { checkOptionNames } from './host/handle/option-names.ts';
import { loadPrompty as loadFile, type LoadPromptyOptions } from './items/load-prompty.ts';
import { assemblePrompty } from './prompt/prompty/create-prompty.ts';
import type { Budgets } from './prompt/prompty/engine/budgets.ts';
import { createJsonLines } from './prompt/prompty/json-lines-tracer.ts';
import type { Prompty } from './prompt/prompty/prompty.ts';
import { createKnownSecrets } from './prompt/prompty/known-secrets.ts';
import type { RenderContext } from './prompt/prompty/render-context.ts';
import type { TemplateOptions } from './prompt/prompty/renderer.ts';
import type { Tracer } from './prompt/prompty/tracer.ts';
import type { TracerProblem, Tracers } from './prompt/prompty/tracers.ts';
import type { PromptyInputs } from './prompt/prompty/validate-inputs.ts';

export type { ContentPart, MediaKind, MediaPart } from './core/content-part.ts';
export type { PromptyAgent, PromptyComponent, PromptyInput, PromptyKind } from './core/prompty-agent.ts';
export type { PromptyMessage, PromptyRole } from './core/prompty-message.ts';
export type { LoadPromptyOptions } from './items/load-prompty.ts';
export type { Budgets } from './prompt/prompty/engine/budgets.ts';
export { InvokerError } from './prompt/prompty/engine/invoker-error.ts';
export { ValueError, type ValueErrorCode } from './prompt/prompty/engine/value-error.ts';
export { createOpenTelemetryTracer, type OpenTelemetryTracer } from './prompt/prompty/opentelemetry-tracer.ts';
export type { NonceMap } from './prompt/prompty/prepare-inputs.ts';
export type { Parser } from './prompt/prompty/parse-messages.ts';
export type { PreparedPrompt, Prompty } from './prompt/prompty/prompty.ts';
export type { Registry } from './prompt/prompty/registry.ts';
export { createRenderContext, type RenderContext } from './prompt/prompty/render-context.ts';
export type { RenderedPrompt } from './prompt/prompty/rendered-prompt.ts';
export type { AnyRenderer, Renderer, TracingRenderer } from './prompt/prompty/renderer.ts';
export type { RichValue } from './prompt/prompty/rich-value.ts';
export type { PromptyConversation } from './prompt/prompty/to-conversation.ts';
export type { SpanAttributes, Tracer, TraceSpan } from './prompt/prompty/tracer.ts';
export type { Tracers } from './prompt/prompty/tracers.ts';
export type { PromptyInputs } from './prompt/prompty/validate-inputs.ts';

/** Options of {@link createPrompty}. */
export type PromptyOptions = TemplateOptions & {
  /** What `${env:NAME}` of loaded files reads. Default: nothing is set. */
  readonly env?: LoadPromptyOptions['env'] | undefined;
  /**
   * Values that tracers never see, beside those that the instance's `load` reads from `env` and what looks like a key; each with
   * 8 characters at least, since a shorter one would be found in texts that have nothing to do with it.
   */
  readonly secrets?: readonly string[] | undefined;
  /** Told of tracers that fail. Default: a process warning. */
  readonly onTracerProblem?: ((problem: TracerProblem) => void) | undefined;
};

const OPTION_NAMES: Readonly<Record<keyof PromptyOptions, true>> = {
  templates: true,
  budgets: true,
  env: true,
  secrets: true,
  onTracerProblem: true,
};
const BUDGET_NAMES: Readonly<Record<keyof Budgets, true>> = { steps: true, output: true, nesting: true };

/** An instance that loads files too. */
export type PromptyInstance = Prompty & {
  /** As {@link loadPrompty}, with the instance's `env`: what it reads from there is kept from the instance's tracers. */
  readonly load: (file: string) => PromptyAgent;
};

/**
 * Makes an instance with its own renderers, parsers, tracers and cache of compiled templates.
 *
 * @throws SkeinError `invalid_argument` for a secret that is no text with 8 characters or more, a budget that is no number from 0 up, and an
 * option that there is not
 */
export function createPrompty(options: PromptyOptions = {}): PromptyInstance {
  checkOptionNames('createPrompty', options, OPTION_NAMES);
  const { env, secrets = [], onTracerProblem = warn, ...templates } = options;
  checkBudgets(templates.budgets);
  checkSecrets(secrets);
  const redactor = createKnownSecrets();
  redactor.add(secrets.flatMap(spellings));
  const prompty = assemblePrompty({ ...templates, randomBytes, redactor, onTracerProblem });
  const onVariable = (value: string): void => redactor.add(spellings(value));
  return { ...prompty, load: (file) => loadFile(file, { ...(env && { env }), onVariable }) };
}

/** Of what is no number nothing would be left to compare with, and a template would go on for ever. */
function checkBudgets(budgets: PromptyOptions['budgets'] = {}): void {
  if (!isRecord(budgets)) throw refusedArgument('budgets of createPrompty', 'an object', budgets);
  checkOptionNames('budgets', budgets, BUDGET_NAMES);
  for (const [name, given] of Object.entries<unknown>(budgets)) {
    if (given === undefined || (typeof given === 'number' && given >= 0)) continue;
    throw refusedArgument(`budgets.${name}`, 'a number from 0 up', given);
  }
}

function checkSecrets(secrets: readonly string[]): void {
  if (!Array.isArray(secrets)) throw refusedArgument('secrets of createPrompty', 'a list of texts', secrets);
  const odd = secrets.findIndex((secret) => typeof secret !== 'string');
  if (odd >= 0) throw refusedArgument(`secrets[${odd}] of createPrompty`, 'a text', secrets[odd]);
  const short = secrets.findIndex(({ length }) => length < LEAST_SECRET);
  if (short === -1) return;
  const message = `secrets[${short}] of createPrompty is too short: ${LEAST_SECRET} characters at least are taken out of texts`;
  throw new SkeinError('invalid_argument', message);
}

/** Writes spans to a file, one line of JSON for each that has ended. Each line is in the file when the span has ended. */
export function createJsonLinesTracer(file: string): Tracer {
  return createJsonLines({ write: (line) => appendFileSync(file, line, { mode: 0o600 }), now: systemClock.now });
}

/** For 1,000 variables, each with up to two spellings. */
const MOST_SECRETS = 2_000;
const SECRETS = createKnownSecrets(MOST_SECRETS);
// What ships: nobody can reach its renderers and parsers, so all that it ever holds are compiled templates, tracers and secrets.
const SHIPPED = assemblePrompty({ randomBytes, redactor: SECRETS, onTracerProblem: warn });

/**
 * The tracers of {@link render} and {@link renderAsync} (S4 §5: both are traced). Without any, nothing is done for them.
 * An agent that was loaded by an instance of {@link createPrompty} belongs to that instance: what its loading read from `env` is
 * kept from the instance's tracers, and not from these.
 */
export const tracers: Tracers = SHIPPED.tracers;

/**
 * Loads a `.prompty` file. Files it refers to are read only inside of its folder, links followed; the name falls back to the
 * file's. What it reads from `env` is kept from {@link tracers}: of values with 8 characters or more, the last 1,000. Tracers of
 * an instance know nothing of it: for an instance load with its own `load`, or give it as `secrets` what `onVariable` was told of
 * 8 characters or more, since it is told all values and `secrets` refuses those that are shorter.
 *
 * @throws SkeinError `item_not_found`, `invalid_item` with file and line, `item_id_refused` for a reference that leads out of the
 * folder, `item_too_large`
 */
export function loadPrompty(file: string, options: LoadPromptyOptions = {}): PromptyAgent {
  const onVariable = (value: string): void => {
    SECRETS.add(spellings(value));
    options.onVariable?.(value);
  };
  return loadFile(file, { ...options, onVariable });
}

/**
 * Renders a prompt (S4 §5) with the formats that ship.
 *
 * @param context takes what the parser needs of this call
 * @throws ValueError for the template or its inputs, InvokerError for an unknown format
 */
export function render(agent: PromptyAgent, inputs?: PromptyInputs, context?: RenderContext): string {
  return SHIPPED.render(agent, inputs, context);
}

/** As {@link render}. */
export async function renderAsync(
  agent: PromptyAgent,
  inputs?: PromptyInputs,
  context?: RenderContext,
): Promise<string> {
  return SHIPPED.renderAsync(agent, inputs, context);
}

/** Mustache writes for HTML. */
function spellings(secret: string): readonly string[] {
  return [secret, escapeMarkup(secret)];
}

function warn({ tracer, message }: TracerProblem): void {
  process.emitWarning(`The tracer "${tracer}" has failed: ${message}`, 'PromptyTracerWarning');
}
