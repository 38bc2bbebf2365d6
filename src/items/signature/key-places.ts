import { join } from 'node:path';

/** Where a space keeps keys. A project has trusted ones only. */
export type KeyPlaces = {
  readonly folder: string;
  readonly privateKey: string;
  /** Public keys, each in a file `<fingerprint>.pem`. */
  readonly trusted: string;
};

/** The places for keys in a space, which is `~/.ai` or the `.ai` folder of a project. */
export function keyPlaces(space: string): KeyPlaces {
  const folder = join(space, 'keys');
  return { folder, privateKey: join(folder, 'private.pem'), trusted: join(folder, 'trusted') };
}
