import { type KeyObject, verify } from 'node:crypto';
import type { SignatureState } from '../../core/item.ts';
import type { CommentForm } from '../../config/extractors.ts';
import { findSignature } from './find-signature.ts';

/** Gives the public key with a fingerprint, if it is one that may vouch for the item. */
export type KeyLookup = (fingerprint: string) => KeyObject | undefined;

/**
 * Checks the signature of an item (contracts, "Signature"). Pure, and one pass over the text.
 *
 * `wrong` is whatever is meant as a signature and is not one of this text: changed content, a signature that its key did
 * not make, more than one line, a malformed one. A key that is not known says nothing either way: `unknown_key`.
 *
 * @param text the whole file, byte order mark included
 */
export function verifySignature(text: string, form: CommentForm, keys: KeyLookup): SignatureState {
  const found = findSignature(text, form);
  if (found.kind === 'none') return { state: 'unsigned' };
  if (found.kind === 'broken') return { state: 'wrong', reason: found.reason, line: found.line };
  const { mark, hash, line } = found;
  if (mark.hash !== hash) return { state: 'wrong', reason: 'the content was changed after it was signed', line };
  const key = keys(mark.key);
  if (key === undefined) return { state: 'unknown_key', key: mark.key, signedAt: mark.signedAt };
  return verify(null, Buffer.from(mark.hash, 'ascii'), key, mark.signature)
    ? { state: 'trusted', key: mark.key, signedAt: mark.signedAt }
    : { state: 'wrong', reason: `the key ${mark.key} did not make this signature`, line };
}
