import { stripVTControlCharacters } from 'node:util';
import { textWidth } from './text-width.ts';

const INDENT = '    ';

/**
 * Breaks a line that is wider than the terminal between its words; what follows is indented. A word is never broken, so that
 * an id or an address can be taken as a whole: one that is too long is the terminal's to break. Styles take no room.
 */
export function hangWords(line: string, columns: number): string {
  let width = 0;
  let broken = '';
  for (const [piece, space = '', word = ''] of line.matchAll(/(\s*)(\S+)/g)) {
    const room = textWidth(stripVTControlCharacters(word));
    if (width === 0 || width + space.length + room <= columns) {
      broken += piece;
      width += space.length + room;
    } else {
      broken += `\n${INDENT}${word}`;
      width = INDENT.length + room;
    }
  }
  return broken;
}
