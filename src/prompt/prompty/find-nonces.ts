import { NONCE_START, type NonceMap } from './prepare-inputs.ts';
import type { RichValue } from './rich-value.ts';

/** A nonce in a text. */
export type FoundNonce = { readonly at: number; readonly nonce: string; readonly value: RichValue };

/** The nonces of a call that stand in a text, in order. No nonce begins another: their random parts differ. */
export function findNonces(text: string, nonces: NonceMap): readonly FoundNonce[] {
  const found: FoundNonce[] = [];
  for (let at = text.indexOf(NONCE_START); at !== -1; at = text.indexOf(NONCE_START, at + 1)) {
    const head = text.slice(at, at + NONCE_START.length + HEX_DIGITS);
    for (const [nonce, value] of nonces) {
      if (nonce.startsWith(head) && text.startsWith(nonce, at)) found.push({ at, nonce, value });
    }
  }
  return found;
}

const HEX_DIGITS = 16;
