import { COMMITS } from './constants.ts';

/** Declarations as they begin a line: those of the file itself and the methods of its classes. */
const DECLARATION =
  /^(?:(?:export |default |declare |async |abstract |pub )*(?:function\*?|class|interface|type|enum|def|fn|func|struct|trait|impl)\b|export (?:const|let|var)\b|(?:module\.)?exports\b|[\w$.]+\.prototype\.| {2,4}(?:static |async |get |set |public |private |protected |def |pub |fn )*[\w$#]+ ?\(.*[{:]$)/;
/** Control flow that looks like a method at the beginning of a line. */
const CONTROL = /^\s*(?:if|for|while|switch|catch|return|await|else|super|test|it|describe|expect|assert|function)\b/;

/** A symbol block of about the size and with about the changes of one made by a parser; "" if the file declares nothing. */
export function outline(path: string, text: string): string {
  const lines = text
    .split('\n')
    .filter((line) => DECLARATION.test(line) && !(line.startsWith(' ') && CONTROL.test(line)))
    .map((line) => line.slice(0, COMMITS.shown));
  return lines.length === 0 ? '' : `${path}\n${lines.join('\n')}\n`;
}
