import { PassThrough, type Duplex, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { codeOf } from '../core/code-of.ts';
import { httpFailure } from './http-client-failure.ts';

const UNPACKERS: ReadonlyMap<string, () => Duplex> = new Map([
  ['', () => new PassThrough()],
  ['identity', () => new PassThrough()],
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', () => createInflate()],
  ['br', () => createBrotliDecompress()],
]);

/**
 * Reads an answer's body, unpacked, and stops when it gets longer than `maxBytes`.
 *
 * @throws SkeinError `tool_failed` (`response_too_large`, `not_text` for an encoding that is not known)
 */
export async function readAnswerBody(body: Readable, encoding: string, maxBytes: number): Promise<Buffer> {
  const unpacker = UNPACKERS.get(encoding.trim().toLowerCase());
  if (unpacker === undefined)
    throw httpFailure('not_text', `the answer is packed as "${encoding}", which is not known`);
  const unpack = unpacker();
  const pieces: Buffer[] = [];
  try {
    await pipeline(body, unpack, async (unpacked: AsyncIterable<Buffer>) => {
      let size = 0;
      for await (const piece of unpacked) {
        size += piece.length;
        if (size > maxBytes) throw httpFailure('response_too_large', `the answer is longer than ${maxBytes} bytes`);
        pieces.push(piece);
      }
    });
  } catch (error) {
    if (!isEmptyInput(error, unpack)) throw error;
  }
  return Buffer.concat(pieces);
}

/** No bytes at all, as in an answer to HEAD, are a cut archive to zlib; here they are an answer without a body. */
function isEmptyInput(error: unknown, unpack: Duplex): boolean {
  return codeOf(error) === 'Z_BUF_ERROR' && 'bytesWritten' in unpack && unpack.bytesWritten === 0;
}

const TEXT =
  /^\s*text\/|[/+](?:json|xml|yaml|x-yaml|toml|javascript|x-ndjson|sql|graphql|x-www-form-urlencoded)\s*(?:;|$)/i;

/** Whether a content type is text; an answer that states none is taken for it. */
export function isTextType(contentType: string): boolean {
  return contentType.trim() === '' || TEXT.test(contentType);
}

/** Whether a content type is HTML, in either of its forms. */
export function isHtmlType(contentType: string): boolean {
  return /^\s*text\/html\s*(?:;|$)/i.test(contentType) || isXhtmlType(contentType);
}

/** Whether a content type is HTML that is written as XML. */
export function isXhtmlType(contentType: string): boolean {
  return /^\s*application\/xhtml\+xml\s*(?:;|$)/i.test(contentType);
}

/**
 * Bytes as text: by their byte order mark, the content type's charset, a `<meta charset>` of HTML, else as UTF-8. What the
 * charset has no character for becomes U+FFFD.
 */
export function bodyText(bytes: Buffer, contentType: string): string {
  const marked = byMark(bytes);
  if (marked !== undefined) return new TextDecoder(marked).decode(bytes);
  const named = charsetIn(contentType) ?? (isHtmlType(contentType) ? charsetOfPage(bytes) : undefined);
  return decoder(named).decode(bytes);
}

function byMark(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

function charsetIn(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1];
}

function charsetOfPage(bytes: Buffer): string | undefined {
  const head = bytes.subarray(0, 1024).toString('latin1');
  return /<meta\s[^>]{0,200}?charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(head)?.[1];
}

function decoder(label: string | undefined): { decode(bytes: Uint8Array): string } {
  try {
    return new TextDecoder(label);
  } catch {
    // No charset by that name: read like an answer that names none.
    return new TextDecoder();
  }
}
