import { escapeMarkup } from '../../core/escape-markup.ts';

/** What a text in a prompt came from. */
export type TextSource = { readonly name: string; readonly id: string; readonly type: string };

/** A text in a tag of the name of its item (S3); nothing stays nothing. */
export function wrapItem({ name, id, type }: TextSource, text: string): string {
  if (text === '') return '';
  const tag = tagOf(name);
  return `<${tag} id="${escapeMarkup(id)}" type="${escapeMarkup(type)}">\n${text}\n</${tag}>`;
}

/** A name may be a title in any language; a tag has no spaces and begins with a letter. */
function tagOf(name: string): string {
  const tag = name.replaceAll(/[^\p{L}\p{M}\p{N}_-]/gu, '_');
  return /^[\p{L}_]/u.test(tag) ? tag : `_${tag}`;
}
