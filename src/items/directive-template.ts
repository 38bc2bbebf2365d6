import type { Directive, DirectiveTemplate } from '../core/item.ts';
import { invalidItem, quote, type Reading } from './reading.ts';

/** Formats a body can have. */
const FORMATS: readonly string[] = ['jinja2', 'mustache'];

/** Whether this is a format that bodies of directives can have. */
export function isTemplateFormat(format: string): boolean {
  return FORMATS.includes(format);
}

/**
 * The template that the body of a directive with `format` in its metadata is; nothing for one without.
 *
 * @throws SkeinError `invalid_item` for a format nobody knows
 */
export function bodyTemplate(
  format: string | undefined,
  { name, description, body }: Pick<Directive, 'name' | 'description' | 'body'>,
  reading: Reading,
): { readonly template?: DirectiveTemplate } {
  if (format === undefined) return {};
  if (!isTemplateFormat(format)) {
    throw invalidItem(reading, undefined, `The format ${quote(format)} is not known; ${FORMATS.join(' and ')} are`);
  }
  const template = { format: { kind: format }, parser: { kind: 'prompty' } };
  const agent = { name, description, model: {}, inputs: [], template, instructions: body, metadata: {} };
  return { template: { agent, hasRoles: false } };
}
