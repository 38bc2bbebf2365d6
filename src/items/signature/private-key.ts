import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { writeDurably } from '../../core/durable-file.ts';
import { SkeinError } from '../../core/errors.ts';
import { fingerprintOf } from './fingerprint.ts';
import { keyPlaces } from './key-places.ts';
import { readKeyFile } from './read-key-file.ts';
import { createSigner, type Signer } from './signer.ts';
import { trustKey } from './trust-key.ts';
import { writingKeys } from './writing-keys.ts';

/** A key pair that was made: its private half in `file`, its public half in `publicFile`, which may be passed on. */
export type NewKey = { readonly fingerprint: string; readonly file: string; readonly publicFile: string };

/**
 * Makes the user's key pair: `keys/private.pem` of the user space, which only the user can read, and the public half
 * among the keys the user trusts.
 *
 * @throws SkeinError `key_unusable` if there is a key already: it is never written over; if it can't be written
 */
export function initKey(userSpace: string): NewKey {
  const { folder, privateKey: file } = keyPlaces(userSpace);
  if (existsSync(file)) throw unusable('There is a signing key already; it is not replaced', file);
  writingKeys(folder, () => {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o700);
  });
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const fingerprint = fingerprintOf(publicKey);
  const { file: publicFile } = trustKey(userSpace, { fingerprint, key: publicKey });
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  try {
    writingKeys(folder, () => writeDurably(file, pem, 0o600));
  } catch (thrown) {
    // Nobody has the other half of it.
    rmSync(publicFile, { force: true });
    throw thrown;
  }
  return { fingerprint, file, publicFile };
}

/**
 * The signer with the user's own key.
 *
 * @throws SkeinError `key_unusable` if there is none, if others may read it, or if it is no Ed25519 private key
 */
export function loadSigner(userSpace: string): Signer {
  const signer = findSigner(userSpace);
  if (signer !== undefined) return signer;
  throw unusable('There is no signing key; "skein keys init" makes one', keyPlaces(userSpace).privateKey);
}

/** As {@link loadSigner}, or undefined if there is no key. */
export function findSigner(userSpace: string): Signer | undefined {
  const { privateKey: file } = keyPlaces(userSpace);
  const found = readKeyFile(file);
  if (found === undefined) return undefined;
  // Windows has no such bits.
  if (process.platform !== 'win32' && (found.stats.mode & 0o077) !== 0) {
    const mode = (found.stats.mode & 0o777).toString(8);
    throw unusable(`Others can read the signing key (mode ${mode}); make it private with "chmod 600"`, file);
  }
  const key = parse(found.text, file);
  if (key.asymmetricKeyType === 'ed25519') return createSigner(key);
  throw unusable(`The signing key is of type ${key.asymmetricKeyType ?? 'unknown'}; Ed25519 is expected`, file);
}

function parse(pem: string, file: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    // Fails now rather than when something is signed.
    createPublicKey(key);
    return key;
  } catch (cause) {
    throw unusable(
      "The signing key can't be read; a private key in PEM form without a passphrase is expected",
      file,
      cause,
    );
  }
}

function unusable(message: string, file: string, cause?: unknown): SkeinError {
  return new SkeinError('key_unusable', message, { where: { file }, cause });
}
