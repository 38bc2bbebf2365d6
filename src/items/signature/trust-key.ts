import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeDurably } from '../../core/durable-file.ts';
import { SkeinError } from '../../core/errors.ts';
import { keyPlaces } from './key-places.ts';
import { type PublicKey, readPublicKey, writePublicKey } from './public-key.ts';
import { readKeyFile } from './read-key-file.ts';
import { writingKeys } from './writing-keys.ts';

/** A key among the trusted ones of a space; `added` is false if it was there before. */
export type TrustedFile = { readonly fingerprint: string; readonly file: string; readonly added: boolean };

/**
 * Adds a public key to the trusted ones of a space.
 *
 * @param space the user space, or `.ai` of a project
 * @throws SkeinError `invalid_argument` if another key of that fingerprint is there; `key_unusable` if it can't be written
 */
export function trustKey(space: string, key: PublicKey): TrustedFile {
  const { folder, trusted } = keyPlaces(space);
  writingKeys(folder, () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    mkdirSync(trusted, { recursive: true });
  });
  const file = join(trusted, `${key.fingerprint}.pem`);
  const known = readKeyFile(file);
  if (known === undefined) {
    writingKeys(folder, () => writeDurably(file, writePublicKey(key), 0o644));
    return { fingerprint: key.fingerprint, file, added: true };
  }
  if (readPublicKey(known.text, file).key.equals(key.key)) return { fingerprint: key.fingerprint, file, added: false };
  throw new SkeinError('invalid_argument', `Another key with the fingerprint ${key.fingerprint} is trusted already`, {
    where: { file },
  });
}
