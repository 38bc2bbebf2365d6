import { hash, type KeyObject } from 'node:crypto';

/** Bytes of an Ed25519 public key; they are the end of its DER form. */
const KEY_BYTES = 32;

/** Fingerprint of an Ed25519 public key: the first 16 hex digits of the SHA-256 of its 32 bytes. */
export function fingerprintOf(publicKey: KeyObject): string {
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES);
  return hash('sha256', raw).slice(0, 16);
}
