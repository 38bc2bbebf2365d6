import type { RandomBytes } from '../../core/ids.ts';

/** Makes nonces of 16 hex digits (S4, "Nonce"). */
export type NonceSource = () => string;

const NONCE_BYTES = 8;
/** Random bytes are drawn for so many nonces at once, since one call costs more than one nonce. */
const NONCES_A_DRAW = 256;

/** Makes nonces from secure random bytes, each byte used once. */
export function createNonces(randomBytes: RandomBytes): NonceSource {
  let pool = '';
  let at = 0;
  return () => {
    if (at >= pool.length) {
      pool = Buffer.from(randomBytes(NONCE_BYTES * NONCES_A_DRAW)).toString('hex');
      at = 0;
    }
    at += NONCE_BYTES * 2;
    return pool.slice(at - NONCE_BYTES * 2, at);
  };
}
