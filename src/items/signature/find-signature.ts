import type { CommentForm } from '../../config/extractors.ts';
import { findInComments } from './comment-signature.ts';
import type { FoundSignature } from './found-signature.ts';
import { findInJson } from './json-signature.ts';

/** Finds the signature of an item's text, which begins with the byte order mark if the file does. */
export function findSignature(text: string, form: CommentForm): FoundSignature {
  // Encoding would change such a text, so its hash would say nothing about it.
  if (!text.isWellFormed()) {
    return { kind: 'broken', reason: 'the text has half of a surrogate pair', line: undefined };
  }
  return form === 'json' ? findInJson(text) : findInComments(text, form);
}
