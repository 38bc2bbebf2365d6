import { SkeinError } from '../core/errors.ts';
import { findCodeFences } from './code-fences.ts';
import type { ReadItem } from './spaces.ts';

/** A signature comment that stands in a line of its own: of Markdown, and of source in any language of tools. */
const SIGNED_PROSE = /^[ \t]*<!--[ \t]*rye:signed:/m;
const SIGNED_SOURCE = /^[ \t]*(?:#|\/\/)[ \t]*rye:signed:/m;

/**
 * Refuses an item with a signature (contracts, "Signature"). Nothing verifies one yet, and a signature that may be wrong
 * is no reason to trust. `rye:unsigned` is fine, and so is a signature that a code block of Markdown shows.
 *
 * @throws SkeinError `not_available` with the line
 */
export function refuseSigned({ kind, id, text, stamp }: ReadItem): void {
  const at = kind === 'tool' ? text.search(SIGNED_SOURCE) : findInProse(text);
  if (at === -1) return;
  const line = text.slice(0, at).split('\n').length;
  const message = `The ${kind} "${id}" is signed, and signatures can't be verified in this version; remove the line`;
  throw new SkeinError('not_available', message, { where: { file: stamp.file, line } });
}

function findInProse(text: string): number {
  if (!text.includes('rye:signed:')) return -1;
  let start = 0;
  for (const fence of findCodeFences(text)) {
    const at = text.slice(start, fence.start).search(SIGNED_PROSE);
    if (at !== -1) return start + at;
    start = fence.end;
  }
  const at = text.slice(start).search(SIGNED_PROSE);
  return at === -1 ? -1 : start + at;
}
