import { hash } from 'node:crypto';
import type { SignatureMark } from './signature-mark.ts';

/** The signature of a text and the SHA-256 of what it has to cover, or why there is none that can be checked. */
export type FoundSignature =
  | { readonly kind: 'none' }
  | { readonly kind: 'broken'; readonly reason: string; readonly line: number | undefined }
  | { readonly kind: 'found'; readonly mark: SignatureMark; readonly hash: string; readonly line: number };

/** SHA-256 of a text's UTF-8 bytes, given in pieces; 64 hex digits. */
export function hashOf(...pieces: readonly string[]): string {
  return hash('sha256', pieces.join(''));
}
