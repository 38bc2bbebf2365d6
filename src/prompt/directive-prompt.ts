import { escapeMarkup } from '../core/escape-markup.ts';
import type { Directive } from '../core/item.ts';
import { DIRECTIVE_INSTRUCTION } from './directive-instruction.ts';
import { DIRECTIVE_RETURN_NAME, type ReturnField } from './return-tool.ts';

/** The parts of a directive that reach the model. */
export type PromptParts = Pick<Directive, 'name' | 'description' | 'body'> & {
  /** The text above the XML, without what is not for the model (S0 "Preamble Cleaning"). */
  readonly preamble: string;
  /** What is to be returned. */
  readonly outputs: readonly ReturnField[];
  /** Whether they do not say all of it: the definition of the return tool does. Default: they do. */
  readonly hasMoreOutputs?: boolean;
};

/** Id of the tool that delivers a directive's outputs. */
export const DIRECTIVE_RETURN_ID = 'rye/agent/threads/directive_return';

/** Finds where values belong in a text: what it returns puts them there; undefined if it is always the same. */
export type CompileText<Values> = (text: string) => ((values: Values) => string) | undefined;

/** Renders a directive for one thread. */
export type RenderDirective<Values> = (options?: {
  /** Text in place of {@link DIRECTIVE_INSTRUCTION}; empty when a hook delivers it. */
  readonly instruction?: string;
  /** What a template made of the body: as it is, nothing is put into it. */
  readonly body?: string | undefined;
  /** What is put into the texts; what it puts into name and description can not leave their tag. Default: nothing. */
  readonly values?: Values;
}) => string;

/**
 * Compiles how a directive is rendered as the model reads it (S0, "Prompt Structure"): instruction, opening tag with the
 * description, preamble, body, how to return the outputs, closing tag; empty parts left out, a blank line between
 * parts. Metadata, permissions, limits, hooks and the XML fence are never part of it.
 */
export function compileDirectivePrompt<Values>(
  directive: PromptParts,
  compile: CompileText<Values>,
): RenderDirective<Values> {
  const part = (text: string): Part<Values> => compilePart(text, compile);
  const opening = openingPart(directive, compile);
  const preamble = part(directive.preamble.trim());
  const written = part(directive.body.trim());
  const returns = returnPart(directive, part);
  return ({ instruction = DIRECTIVE_INSTRUCTION, body, values } = {}) => {
    const tag = opening(values);
    const parts = [
      instruction,
      tag,
      preamble(values),
      body?.trim() ?? written(values),
      returns(values),
      tag === '' ? '' : '</directive>',
    ];
    return parts.filter((text) => text !== '').join('\n\n');
  };
}

/** A part of the prompt; as it is written where there are no values. */
type Part<Values> = (values: Values | undefined) => string;

function compilePart<Values>(text: string, compile: CompileText<Values>): Part<Values> {
  const fill = compile(text);
  return fill ? (values) => (values === undefined ? text : fill(values)) : () => text;
}

function openingPart<Values>({ name, description }: PromptParts, compile: CompileText<Values>): Part<Values> {
  const written = openingTag(name, description);
  const fillName = compile(name);
  const fillDescription = compile(description);
  if (!fillName && !fillDescription) return () => written;
  return (values) => {
    if (values === undefined) return written;
    return openingTag(fillName?.(values) ?? name, fillDescription?.(values) ?? description);
  };
}

function openingTag(name: string, description: string): string {
  if (name === '' && description === '') return '';
  const tag = name === '' ? '<directive>' : `<directive name="${escapeMarkup(name)}">`;
  return description === '' ? tag : `${tag}\n<description>${escapeMarkup(description)}</description>`;
}

/**
 * Each output is shown with its description, on one line whatever is filled into it, or its name where it has none, as the
 * value to fill in.
 */
function returnPart<Values>(
  { outputs, hasMoreOutputs = false }: PromptParts,
  part: (text: string) => Part<Values>,
): Part<Values> {
  const fields = outputs
    .filter(({ name }) => name !== '')
    .map(({ name, description, isLiteral }) => ({ name, describe: isLiteral ? () => description : part(description) }));
  if (fields.length === 0 && !hasMoreOutputs) return () => '';
  return (values) => {
    const params = fields.map(
      ({ name, describe }) => `"${name}": "<${describe(values).trim().replaceAll(/\s+/g, ' ') || name}>"`,
    );
    const shown = [...params, ...(hasMoreOutputs ? ['...'] : [])].join(', ');
    const call = `rye_execute(item_type="tool", item_id="${DIRECTIVE_RETURN_ID}", parameters={${shown}})`;
    const asked = `When you have completed all steps, return structured results:\n\`${call}\``;
    return hasMoreOutputs ? `${asked}\n${SEE_DEFINITION}` : asked;
  };
}

const SEE_DEFINITION = `The definition of the tool \`${DIRECTIVE_RETURN_NAME}\` says what belongs into the parameters.`;
