import { escapeMarkup } from '../core/escape-markup.ts';
import type { Directive } from '../core/item.ts';
import { DIRECTIVE_INSTRUCTION } from './directive-instruction.ts';
import type { ReturnField } from './return-tool.ts';

/** The parts of a directive that reach the model. */
export type PromptParts = Pick<Directive, 'name' | 'description' | 'preamble' | 'body'> & {
  /** What is to be returned. */
  readonly outputs: readonly ReturnField[];
};

/** Id of the tool that delivers a directive's outputs. */
export const DIRECTIVE_RETURN_ID = 'rye/agent/threads/directive_return';

/** Renders a directive for one thread. */
export type RenderDirective = (options?: {
  /** Text in place of {@link DIRECTIVE_INSTRUCTION}; empty when a hook delivers it. */
  readonly instruction?: string;
  /** What a template made of the body: as it is, nothing is put into it. */
  readonly body?: string | undefined;
  /** Puts inputs into a text; what it puts into name and description can not leave their tag. */
  readonly fill?: (text: string) => string;
}) => string;

/**
 * Compiles how a directive is rendered as the model reads it (S0, "Prompt Structure"): instruction, opening tag with the
 * description, cleaned preamble, body, how to return the outputs, closing tag; empty parts left out, a blank line between
 * parts. Metadata, permissions, limits, hooks and the XML fence are never part of it.
 */
export function compileDirectivePrompt(directive: PromptParts): RenderDirective {
  const preamble = cleanPreamble(directive.preamble);
  const written = directive.body.trim();
  const returns = returnInstruction(directive.outputs);
  return ({ instruction = DIRECTIVE_INSTRUCTION, body, fill = asWritten } = {}) => {
    const opening = openingTag(fill(directive.name), fill(directive.description));
    const parts = [
      instruction,
      opening,
      fill(preamble),
      body?.trim() ?? fill(written),
      fill(returns),
      opening === '' ? '' : '</directive>',
    ];
    return parts.filter((part) => part !== '').join('\n\n');
  };
}

function asWritten(text: string): string {
  return text;
}

function openingTag(name: string, description: string): string {
  if (name === '' && description === '') return '';
  const tag = name === '' ? '<directive>' : `<directive name="${escapeMarkup(name)}">`;
  return description === '' ? tag : `${tag}\n<description>${escapeMarkup(description)}</description>`;
}

/** Without signature comments and `# ` headings. */
function cleanPreamble(preamble: string): string {
  const dropped = ['<!-- rye:signed:', '<!-- rye:unsigned', '# '];
  return preamble
    .trim()
    .split('\n')
    .filter((line) => !dropped.some((start) => line.trim().startsWith(start)))
    .join('\n')
    .trim();
}

/** Each output is shown with its description, on one line, or its name where it has none, as the value to fill in. */
function returnInstruction(outputs: readonly ReturnField[]): string {
  const fields = outputs.filter(({ name }) => name !== '');
  if (fields.length === 0) return '';
  const params = fields
    .map(({ name, description }) => `"${name}": "<${description.trim().replaceAll(/\s+/g, ' ') || name}>"`)
    .join(', ');
  const call = `rye_execute(item_type="tool", item_id="${DIRECTIVE_RETURN_ID}", parameters={${params}})`;
  return `When you have completed all steps, return structured results:\n\`${call}\``;
}
