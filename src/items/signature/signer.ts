import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { fingerprintOf } from './fingerprint.ts';

/** Somebody who can sign. */
export type Signer = {
  readonly fingerprint: string;
  /** Ed25519 over the ASCII text of a hash. */
  sign(hash: string): Buffer;
};

/** A signer with an Ed25519 private key. */
export function createSigner(privateKey: KeyObject): Signer {
  return {
    fingerprint: fingerprintOf(createPublicKey(privateKey)),
    sign: (hash) => sign(null, Buffer.from(hash, 'ascii'), privateKey),
  };
}
