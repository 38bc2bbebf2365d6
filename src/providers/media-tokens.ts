import type { ContentPart } from '../core/content-part.ts';

/** An image of the largest size that providers look at. */
const IMAGE_TOKENS = 5000;
/** A file whose bytes nobody here has seen. */
const UNSEEN_FILE_TOKENS = 50_000;
/** Pages of a file and seconds of audio that there are at least. */
const LEAST_TOKENS = 5000;
/** Base64 digits a token: text in a file says more than pictures in it, and audio the least. */
const FILE_DIGITS = 4;
const AUDIO_DIGITS = 100;

/** Tokens of what is no text in a message, estimated from above: providers count them by size and pages, which nobody here knows. */
export function estimateMediaTokens(parts: readonly ContentPart[] | undefined): number {
  return parts?.reduce((sum, part) => sum + tokensOf(part), 0) ?? 0;
}

function tokensOf(part: ContentPart): number {
  if (part.kind === 'text') return 0;
  if (part.kind === 'image') return IMAGE_TOKENS;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(part.value.slice(0, 30))) return UNSEEN_FILE_TOKENS;
  return LEAST_TOKENS + Math.ceil(part.value.length / (part.kind === 'file' ? FILE_DIGITS : AUDIO_DIGITS));
}
