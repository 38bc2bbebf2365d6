import { createPublicKey, type KeyObject } from 'node:crypto';
import { SkeinError } from '../../core/errors.ts';
import { fingerprintOf } from './fingerprint.ts';

/** A public key that can check signatures. */
export type PublicKey = { readonly fingerprint: string; readonly key: KeyObject };

const PUBLIC = '-----BEGIN PUBLIC KEY-----';

/** Reads an Ed25519 public key from PEM text. @throws SkeinError `invalid_argument` for anything else */
export function readPublicKey(pem: string, file?: string): PublicKey {
  const refuse = (message: string, cause?: unknown): SkeinError =>
    new SkeinError('invalid_argument', message, { ...(file !== undefined && { where: { file } }), cause });
  if (pem.includes('PRIVATE KEY-----')) {
    throw refuse("This is a private key, which is nobody else's to have; the public key is expected");
  }
  if (!pem.includes(PUBLIC)) throw refuse(`A public key in PEM form is expected ("${PUBLIC}")`);
  const key = parse(pem, refuse);
  if (key.asymmetricKeyType !== 'ed25519') {
    throw refuse(`The key is of type ${key.asymmetricKeyType ?? 'unknown'}; Ed25519 is expected`);
  }
  return { fingerprint: fingerprintOf(key), key };
}

/** PEM text of a public key, and nothing else that may have stood beside it. */
export function writePublicKey({ key }: PublicKey): string {
  return key.export({ format: 'pem', type: 'spki' }).toString();
}

function parse(pem: string, refuse: (message: string, cause: unknown) => SkeinError): KeyObject {
  try {
    return createPublicKey(pem);
  } catch (cause) {
    throw refuse("The public key can't be read", cause);
  }
}
