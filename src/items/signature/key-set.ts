import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { codeOf } from '../../core/code-of.ts';
import { messageOf } from '../../core/errors.ts';
import { type PublicKey, readPublicKey } from './public-key.ts';
import { readKeyFile } from './read-key-file.ts';

/** A trusted key and the file it is in. */
export type TrustedKey = PublicKey & { readonly file: string };

/** The keys of some files, by fingerprint; read again when the files have changed. */
export type KeySet = {
  keys(): ReadonlyMap<string, TrustedKey>;
  /** Grows whenever the keys have been read again, and are others. */
  revision(): number;
};

/** What a key set needs from outside. */
export type KeySetOptions = {
  /** Milliseconds; only differences count. */
  readonly now: () => number;
  /** Told about a file that holds no key, once for as long as all readings come to the same; it is passed over. */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
};

type Warning = { readonly message: string; readonly where: string };

/** How often the files are looked at. */
const CHECK_EVERY_MS = 1000;

/** More trusted keys than anybody has. */
const MAX_KEYS = 256;

/** Makes a key set over the files that `list` gives; a file `<fingerprint>.pem` must hold the key it is named for. */
export function createKeySet(list: () => readonly string[], { now, onWarning }: KeySetOptions): KeySet {
  let state: { readonly stamp: string | undefined; readonly keys: ReadonlyMap<string, TrustedKey> } | undefined;
  let known: string | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let revision = 0;
  const current = (): ReadonlyMap<string, TrustedKey> => {
    const time = now();
    if (state !== undefined && time >= checkedAt && time - checkedAt < CHECK_EVERY_MS) return state.keys;
    checkedAt = time;
    const files = list().slice(0, MAX_KEYS);
    const stamp = files.map(stampOf).join('\n');
    if (stamp !== state?.stamp) {
      const warnings: Warning[] = [];
      const read = files.map((file) => readTrusted(file, (warning) => warnings.push(warning)));
      const keys = new Map(read.flatMap((found) => found ?? []));
      // With one that could not be read for now, the same files may hold other keys the next time.
      state = { stamp: read.includes(undefined) ? undefined : stamp, keys };
      const found = JSON.stringify([[...keys].map(([fingerprint, { file }]) => [fingerprint, file]), warnings]);
      if (found !== known) {
        known = found;
        revision++;
        for (const warning of warnings) onWarning?.(warning);
      }
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

/** What the system lacks for a moment, which no change of a file tells the end of. */
const SHORTAGES: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'ENOMEM']);

/** The key in a file, if it holds one; undefined if that can't be told for now. */
function readTrusted(file: string, onWarning: (warning: Warning) => void): [string, TrustedKey][] | undefined {
  const passOver = (reason: string): [] => {
    onWarning({ message: `a trusted key is passed over: ${reason}`, where: file });
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
    const none = passOver(messageOf(error));
    return error instanceof Error && SHORTAGES.has(codeOf(error.cause)) ? undefined : none;
  }
}
