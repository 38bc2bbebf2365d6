import { createRequire } from 'node:module';
import type * as Encoding from 'gpt-tokenizer/encoding/o200k_base';
import type { ModelCounter } from './token-counter.ts';

/** Characters that are encoded at once: encoding is quadratic in a run without a boundary. */
const PIECE = 256;
/** Pieces of a text that are encoded at the most, some 30 ms of the densest text; of longer ones, as many all over it. */
const MAX_PIECES = 64;

/**
 * Counts as OpenAI's models do. The encoding (160 ms and 75 MB in each worker) is loaded with the first text; synchronously,
 * so that no text is counted in one way and corrected by what was learnt in the other.
 */
export function createOpenaiCount(model: string): ModelCounter['count'] {
  let encoding: typeof Encoding | undefined;
  return (text) => {
    if (text === '') return 0;
    encoding ??= loadEncoding(encodingOf(model));
    return countPieces(text, encoding);
  };
}

/** Which encoding a model has; those that come after these have the newer one too. */
export function encodingOf(model: string): 'cl100k_base' | 'o200k_base' {
  return /^(?:ft:)?gpt-(?:3\.?5|4(?![.o\d]))/.test(model) ? 'cl100k_base' : 'o200k_base';
}

function loadEncoding(name: 'cl100k_base' | 'o200k_base'): typeof Encoding {
  // Both modules have the same functions.
  return createRequire(import.meta.url)(`gpt-tokenizer/encoding/${name}`) as typeof Encoding;
}

function countPieces(text: string, { countTokens }: typeof Encoding): number {
  const step = Math.max(PIECE, text.length / MAX_PIECES);
  let tokens = 0;
  let characters = 0;
  for (let at = 0; at < text.length; at += step) {
    const piece = text.slice(at, at + PIECE);
    tokens += countTokens(piece, PLAIN);
    characters += piece.length;
  }
  return Math.ceil((tokens * text.length) / characters);
}

/** What looks like a special token in a text is text. */
const PLAIN = { disallowedSpecial: new Set<string>() };
