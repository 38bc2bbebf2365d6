import { haveSameItems } from '../core/same-items.ts';

/** Joins the texts of a message. */
export type JoinTexts = (texts: readonly string[]) => string;

/** Joins texts, a blank line apart: blank ones are left out, the others stand unchanged. */
export function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}

/**
 * The same, but equal texts in a row give the same string: threads that have one prompt hold it once. Remembers one result.
 */
export function rememberingJoin(): JoinTexts {
  let last: { readonly texts: readonly string[]; readonly joined: string } | undefined;
  return (texts) => {
    if (last === undefined || !haveSameItems(last.texts, texts)) last = { texts, joined: joinTexts(texts) };
    return last.joined;
  };
}
