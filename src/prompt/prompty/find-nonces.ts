import { NONCE_START } from './engine/nonce-start.ts';
import type { NonceMap } from './prepare-inputs.ts';
import type { RichValue } from './rich-value.ts';

/** A nonce in a text. */
export type FoundNonce = { readonly at: number; readonly nonce: string; readonly value: RichValue };

/** The nonces of a call that stand in a text, in order. No nonce begins another: their random parts differ. */
export function findNonces(text: string, nonces: NonceMap): readonly FoundNonce[] {
  const found: FoundNonce[] = [];
  const heads = new Map([...nonces].map(([nonce, value]) => [nonce.slice(0, HEAD_LENGTH), { nonce, value }]));
  for (let at = text.indexOf(NONCE_START); at !== -1; at = text.indexOf(NONCE_START, at + 1)) {
    const known = heads.get(text.slice(at, at + HEAD_LENGTH));
    if (known !== undefined && text.startsWith(known.nonce, at)) found.push({ at, ...known });
  }
  return found;
}

const HEX_DIGITS = 16;
/** What no two nonces of a call have in common. */
const HEAD_LENGTH = NONCE_START.length + HEX_DIGITS;
