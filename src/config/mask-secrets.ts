import { isSecretName, SECRET_WORD } from '../core/secret-names.ts';
import { SECRET_SHAPES } from '../core/secret-shapes.ts';
import type { Document } from './merge.ts';

/** What stands in place of a secret. */
const MASK = '***';

/**
 * A copy of a document to be shown: what looks like a key of a known issuer, user and password in URLs, parameters of URLs,
 * options of programs, variables and headers that are named like a secret, and texts under such a key are masked. No
 * setting asks for a secret; this is for those that somebody wrote down all the same.
 */
export function maskSecrets(document: Document): Document {
  // A map goes in, so a map comes out.
  return maskMap(document, false) as Document;
}

const SHAPE = new RegExp(SECRET_SHAPES.join('|'), 'g');
const USER_INFO = /(\b[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#]{1,2000}@/gi;
const PARAMETER = new RegExp(String.raw`([?&](?:[\w-]{0,60}[-_])?(?:${SECRET_WORD}|key|sig)=)[^&#\s]+`, 'gi');
/** `--token=abc`, `TOKEN=abc`, `X-Token: abc`; the last two also as the value of an option: `--env=TOKEN=abc`. */
const NAMED = new RegExp(String.raw`^((?:-[\w-]{1,60}=)?-{0,2}(?:[\w-]{0,60}[-_])?${SECRET_WORD}(?:=|:\s*)).+$`, 'is');

/** A key in it may be named like a secret; its values are names of environment variables. */
const NAMES_ONLY = 'headers_env';

function mask(value: unknown, isSecret: boolean): unknown {
  if (Array.isArray(value)) return maskList(value, isSecret);
  if (typeof value === 'string') return isSecret ? MASK : maskText(value);
  return typeof value === 'object' && value !== null ? maskMap(value, isSecret) : value;
}

function maskMap(map: object, isSecret: boolean): object {
  const entries = Object.entries(map).map(([key, value]) => [
    key,
    key === NAMES_ONLY ? value : mask(value, isSecret || (isSecretName(key) && isText(value))),
  ]);
  return Object.fromEntries(entries) as object;
}

/** `[--token, abc]`: an option's value may be the next word. */
function maskList(list: readonly unknown[], isSecret: boolean): readonly unknown[] {
  return list.map((entry, at) => {
    const option = list[at - 1];
    const follows = typeof option === 'string' && option.startsWith('-') && isSecretName(option);
    return mask(entry, isSecret || (follows && isText(entry) && !entry.startsWith('-')));
  });
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function maskText(text: string): string {
  return text
    .replaceAll(SHAPE, MASK)
    .replaceAll(USER_INFO, `$1${MASK}@`)
    .replaceAll(PARAMETER, `$1${MASK}`)
    .replace(NAMED, `$1${MASK}`);
}
