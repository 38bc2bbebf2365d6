import { SkeinError } from '../../core/errors.ts';
import { signInComment } from './comment-signature.ts';
import type { CommentForm } from '../../config/extractors.ts';
import { signInJson } from './json-signature.ts';
import { formatMark } from './signature-mark.ts';
import type { Signer } from './signer.ts';

/**
 * Signs an item's text; signatures it has are replaced. Every byte that is covered stays as it was, except that a first
 * line that must stay the first gets a line end if it had none.
 *
 * @param text the whole file, byte order mark included
 * @param atIso when it is signed, as `Date.toISOString` writes it; kept to the second
 * @throws SkeinError `invalid_item` for a text that can't be signed in that form
 */
export function signText(text: string, form: CommentForm, { signer, atIso }: SigningOrder): string {
  if (!text.isWellFormed()) {
    throw new SkeinError('invalid_item', "The text can't be signed: it has half of a surrogate pair");
  }
  const signedAt = toSeconds(atIso);
  const markFor = (hash: string): string =>
    formatMark({ signedAt, hash, signature: signer.sign(hash), key: signer.fingerprint });
  return form === 'json' ? signInJson(text, markFor) : signInComment(text, form, markFor);
}

/** Who signs, and when. */
export type SigningOrder = { readonly signer: Signer; readonly atIso: string };

function toSeconds(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime()))
    throw new SkeinError('invalid_argument', `${JSON.stringify(iso)} is no point in time`);
  return `${time.toISOString().slice(0, 19)}Z`;
}
