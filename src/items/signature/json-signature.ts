import canonicalize from 'canonicalize';
import { SkeinError } from '../../core/errors.ts';
import { isRecord } from '../../core/record.ts';
import { lineAt } from '../line-counter.ts';
import { readJson } from '../safe-json.ts';
import { type FoundSignature, hashOf } from './found-signature.ts';
import { countMembers, faultOfSize, scanMembers, type JsonSpan } from './json-members.ts';
import { parseMark } from './signature-mark.ts';
import { hasByteOrderMark } from './signature-lines.ts';

const KEY = '_signature';
const UNSIGNED = 'rye:unsigned';

/**
 * Finds the signature under the key `_signature` of a JSON object. It covers the rest of the object as canonical JSON
 * (RFC 8785), so white space, the order of keys and the spelling of numbers and texts may change under it.
 */
export function findInJson(text: string): FoundSignature {
  const document = readDocument(text);
  if (!document.ok) {
    return text.includes(KEY) ? { kind: 'broken', reason: document.reason, line: undefined } : { kind: 'none' };
  }
  const { signature, span, canonical } = document;
  if (span === undefined || signature === UNSIGNED) return { kind: 'none' };
  const line = lineAt(text, document.start + span.start);
  const mark = typeof signature === 'string' ? parseMark(signature) : undefined;
  if (mark === undefined) return { kind: 'broken', reason: `"${KEY}" is not a well-formed signature`, line };
  return { kind: 'found', mark, line, hash: hashOf(canonical) };
}

/**
 * Signs a JSON object: `_signature` becomes its first key, or gets a new value where it stands. Nothing else is touched.
 *
 * @throws SkeinError `invalid_item` for what is no JSON object, has a key twice or values without a canonical form
 */
export function signInJson(text: string, markFor: (hash: string) => string): string {
  const document = readDocument(text);
  if (!document.ok) throw new SkeinError('invalid_item', `The text can't be signed: ${document.reason}`);
  const { start, span, canonical } = document;
  const value = JSON.stringify(markFor(hashOf(canonical)));
  if (span !== undefined) return text.slice(0, start + span.valueStart) + value + text.slice(start + span.valueEnd);
  const open = text.indexOf('{', start) + 1;
  const gap = /^\s*/.exec(text.slice(open))?.[0] ?? '';
  const first = text[open + gap.length] === '}' ? `"${KEY}":${value}` : `${gap}"${KEY}":${gap && ' '}${value},`;
  return text.slice(0, open) + first + text.slice(open);
}

type Document =
  | { readonly ok: false; readonly reason: string }
  | {
      readonly ok: true;
      /** Where the JSON begins: after a byte order mark. */
      readonly start: number;
      readonly signature: unknown;
      readonly span: JsonSpan | undefined;
      /** The object without its signature. */
      readonly canonical: string;
    };

function readDocument(text: string): Document {
  const start = hasByteOrderMark(text) ? 1 : 0;
  const json = text.slice(start);
  const excess = faultOfSize(json);
  if (excess !== undefined) return { ok: false, reason: excess };
  const reading = readJson(json);
  if (!reading.ok) return { ok: false, reason: `it is ${reading.reason}` };
  const { value } = reading;
  if (!isRecord(value)) return { ok: false, reason: 'it is no JSON object' };
  const { members, span } = scanMembers(json, KEY);
  // A reader that takes the first of two equal keys would see what the signature does not cover.
  if (members !== countMembers(value)) return { ok: false, reason: 'a key stands twice in one object' };
  const signature = value[KEY];
  // Out of the value that was just made for this; a copy without it would take longer than all the rest.
  Reflect.deleteProperty(value, KEY);
  const canonical = canonicalForm(value);
  if (canonical === undefined) return { ok: false, reason: 'a number or text in it has no canonical form' };
  return { ok: true, start, signature, span, canonical };
}

/** Undefined for numbers beyond the range and for halves of surrogate pairs: RFC 8785 has no form for them. */
function canonicalForm(value: Readonly<Record<string, unknown>>): string | undefined {
  try {
    return canonicalize(value);
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}
