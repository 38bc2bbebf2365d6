import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { messageOf } from '../../core/errors.ts';
import { type PublicKey, readPublicKey } from './public-key.ts';
import { readKeyFile } from './read-key-file.ts';

/** A trusted key and the file it is in. */
export type TrustedKey = PublicKey & { readonly file: string };

/** The keys of some files, by fingerprint; read again when the files have changed. */
export type KeySet = {
  keys(): ReadonlyMap<string, TrustedKey>;
  /** Grows whenever the keys have been read again. */
  revision(): number;
};

/** What a key set needs from outside. */
export type KeySetOptions = {
  /** Milliseconds; only differences count. */
  readonly now: () => number;
  /** Told once per reading about a file that holds no key; it is passed over. */
  readonly onWarning?: ((warning: { readonly message: string; readonly where: string }) => void) | undefined;
};

/** How often the files are looked at. */
const CHECK_EVERY_MS = 1000;

/** More trusted keys than anybody has. */
const MAX_KEYS = 256;

/** Makes a key set over the files that `list` gives; a file `<fingerprint>.pem` must hold the key it is named for. */
export function createKeySet(list: () => readonly string[], { now, onWarning }: KeySetOptions): KeySet {
  let state: { readonly stamp: string; readonly keys: ReadonlyMap<string, TrustedKey> } | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let revision = 0;
  const current = (): ReadonlyMap<string, TrustedKey> => {
    const time = now();
    if (state !== undefined && time >= checkedAt && time - checkedAt < CHECK_EVERY_MS) return state.keys;
    checkedAt = time;
    const files = list().slice(0, MAX_KEYS);
    const stamp = files.map(stampOf).join('\n');
    if (stamp !== state?.stamp) {
      state = { stamp, keys: new Map(files.flatMap((file) => readTrusted(file, onWarning))) };
      revision++;
    }
    return state.keys;
  };
  return {
    keys: current,
    revision: () => {
      current();
      return revision;
    },
  };
}

function stampOf(file: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file);
    return [file, ino, size, mtimeMs, ctimeMs].join(' ');
  } catch (error) {
    // Whatever it is, reading the file says it.
    return `${file} ${messageOf(error)}`;
  }
}

function readTrusted(file: string, onWarning: KeySetOptions['onWarning']): [string, TrustedKey][] {
  const passOver = (reason: string): [] => {
    onWarning?.({ message: `a trusted key is passed over: ${reason}`, where: file });
    return [];
  };
  try {
    const found = readKeyFile(file);
    if (found === undefined) return [];
    const key = readPublicKey(found.text, file);
    const name = basename(file, '.pem');
    if (/^[0-9a-f]{16}$/.test(name) && name !== key.fingerprint) {
      return passOver(`its key has the fingerprint ${key.fingerprint}`);
    }
    return [[key.fingerprint, { ...key, file }]];
  } catch (error) {
    return passOver(messageOf(error));
  }
}
