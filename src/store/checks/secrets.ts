import { closeSync, openSync, readSync } from 'node:fs';
import { codeOf } from '../../core/code-of.ts';
import { escapeJson } from '../../core/escape-json.ts';
import type { Finding } from '../../core/finding.ts';
import { isNumeric } from '../../core/redactor.ts';
import { SECRET_HINTS, SECRET_SHAPES, SECRET_STARTS } from '../../core/secret-shapes.ts';
import type { Breach } from './log-rules.ts';

/** Texts that must be nowhere on disk, by the name that may be said of them. */
export type Secrets = ReadonlyMap<string, string>;

/** Keys of services are known by how they look: as the redactor knows them, which lets none of them get here. */
const HINT = new RegExp(SECRET_HINTS.join('|'));
const SHAPE = new RegExp(SECRET_SHAPES.join('|'), 'g');

/** Secrets in a text that is stored (E6); which one it is, never what it says. */
export function* storedSecrets(text: string, secrets: Secrets | undefined): Generator<Breach> {
  if (!secrets) return;
  for (const [name, value] of secrets) {
    if (holds(text, value)) yield { invariant: 'E6', message: `${name} is in it` };
  }
  if (!HINT.test(text)) return;
  for (const start of new Set(text.matchAll(SHAPE).map(([found]) => startOf(found)))) {
    yield { invariant: 'E6', message: `what looks like a key is in it: it begins with ${start}` };
  }
}

/** What the digits of a value are a part of that stand where JSON has a number is no secret, to the redactor neither. */
function holds(text: string, value: string): boolean {
  if (!isNumeric(value)) return text.includes(value) || text.includes(escapeJson(value));
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1)) {
    let start = at;
    while (isNumeric(text[start - 1] ?? '')) start--;
    let end = at + value.length;
    while (isNumeric(text[end] ?? '')) end++;
    const isNumber =
      NUMBER.test(text.slice(start, end)) &&
      BEFORE_NUMBER.test(text.slice(Math.max(0, start - SPACE), start)) &&
      AFTER_NUMBER.test(text.slice(end, end + SPACE));
    if (!isNumber) return true;
  }
  return false;
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
/** Characters that are looked at beside a number. */
const SPACE = 20;
const BEFORE_NUMBER = /[:,[]\s*$/;
const AFTER_NUMBER = /^\s*[,}\]]/;

/** What its issuer has given it, and nothing of the rest. */
function startOf(found: string): string {
  return SECRET_STARTS.find((start) => found.startsWith(start)) ?? '-----BEGIN';
}

/** Bytes read at once, and how much of them is read again with the next ones. */
const BLOCK = 1024 * 1024;
const OVERLAP = 8 * 1024;
/** A character for each byte, whatever it is part of: pages are no text, and decoding them as such takes ten times as long. */
const BYTES = 'latin1';

/**
 * Secrets in the bytes of a file, free pages included (E6). A text that the file keeps in several pages is found in its row
 * alone. Each secret is told once a file.
 */
export function* secretsInFile(file: string, secrets: Secrets): Generator<Finding> {
  const told = new Set<string>();
  const inBytes = new Map([...secrets].map(([name, value]) => [name, Buffer.from(value).toString(BYTES)]));
  for (const text of blocksOf(file)) {
    for (const { invariant, message } of storedSecrets(text, inBytes)) {
      if (!told.has(message)) yield { invariant, message: `${file}: ${message}` };
      told.add(message);
    }
  }
}

function* blocksOf(file: string): Generator<string> {
  const descriptor = openIfThere(file);
  if (descriptor === undefined) return;
  try {
    const block = Buffer.allocUnsafe(BLOCK);
    for (let place = 0; ; place += BLOCK - OVERLAP) {
      const length = readSync(descriptor, block, 0, BLOCK, place);
      if (length > 0) yield block.toString(BYTES, 0, length);
      if (length < BLOCK) return;
    }
  } finally {
    closeSync(descriptor);
  }
}

/** A runtime may have taken its log away meanwhile. */
function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
