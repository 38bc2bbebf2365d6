import { createJsonScan } from './json-scanner.ts';

/** A JSON object at the beginning of a text that comes in pieces. */
export interface BareJson {
  /**
   * Takes more of the text, with plain line ends: the object, once its end is there; `none`, once it is clear that there will be
   * none, as with an empty line, which ends an event.
   */
  push(piece: string): { readonly json: string } | 'none' | 'open';
  /** All of the text. */
  text(): string;
}

/** Characters in which an object has to end. An error is a few hundred of them. */
const MAX_LENGTH = 64 * 1024;

/** Looks for the end of an object: each character once, and no more of them than an error has. */
export function createBareJson(): BareJson {
  const scan = createJsonScan();
  let text = '';
  let last = '';
  return {
    push(piece) {
      const before = text.length;
      text += piece;
      for (let at = 0; at < piece.length; at++) {
        const character = piece.charAt(at);
        if (character === '\n' && last === '\n') return 'none';
        last = character;
        if (before + at >= MAX_LENGTH || scan.push(character) !== undefined) return 'none';
        if (scan.isComplete()) return { json: text.slice(0, before + at + 1) };
      }
      return 'open';
    },
    text: () => text,
  };
}
