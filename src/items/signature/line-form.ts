import type { CommentForm } from '../../config/extractors.ts';
import { MARK_PATTERN } from './signature-mark.ts';

/** The comment forms that make a line; the other one is a key of JSON. */
export type LineForm = Exclude<CommentForm, 'json'>;

/** Patterns for one line with its line end, and how a signature is written. */
type CommentSyntax = {
  readonly write: (mark: string) => string;
  /** The line is meant as a signature, well written or not. */
  readonly opens: RegExp;
  /** The whole line is a signature; its parts are captured with the mark first. */
  readonly whole: RegExp;
  /** From the last mark of a line on: a signature up to the line's end. */
  readonly ends: RegExp;
  /** A line that may be taken out whole when the file is signed again. */
  readonly replaceable: RegExp;
};

const SYNTAX: Readonly<Record<LineForm, CommentSyntax>> = {
  html: syntax('<!--', '-->'),
  '#': syntax('#', ''),
  '//': syntax('//', ''),
};

/** The patterns of a comment form. */
export function commentSyntax(form: LineForm): CommentSyntax {
  return SYNTAX[form];
}

/** Every pattern is anchored and takes a line in one pass. */
function syntax(opening: string, closing: string): CommentSyntax {
  // No two stars side by side: blanks that end in something else would be tried in every way of sharing them out.
  const end = `${closing && `[ \\t]*${closing}`}[ \\t]*\\r?\\n?$`;
  const rest = closing === '' ? '[^\\n]*' : `(?:(?!${closing})[^\\n])*`;
  return {
    write: (mark) => [opening, mark, closing].filter(Boolean).join(' '),
    opens: new RegExp(`^[ \\t]*${opening}[ \\t]*rye:signed:`),
    whole: new RegExp(`^[ \\t]*${opening}[ \\t]*(${MARK_PATTERN})${end}`),
    ends: new RegExp(`^${MARK_PATTERN}${end}`),
    replaceable: new RegExp(`^[ \\t]*${opening}[ \\t]*rye:(?:signed:|unsigned\\b)${rest}${closing}[ \\t]*\\r?\\n?$`),
  };
}
