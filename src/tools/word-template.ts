import { SkeinError } from '../core/errors.ts';

/** A text ready to be filled: literal pieces, and the paths of variables between them. */
export type WordTemplate = readonly (string | { readonly variable: string })[];

/** Bounded, so that no text is looked through more than once. */
const EXPRESSION = /\$\$|\$\{([\w.-]{1,200})\}/g;

/**
 * Splits a word of a command, a URL or a header at its `${…}`. Only the variables in `allowed` may stand there (`params.*`
 * = dotted paths into `params`); `$$` is a literal `$`. What is put in for them is never looked at again, by us or by a shell.
 *
 * @throws SkeinError `invalid_item` for any other `${`.
 */
export function parseWord(text: string, allowed: readonly string[]): WordTemplate {
  const pieces: (string | { readonly variable: string })[] = [];
  let literal = '';
  let from = 0;
  for (const match of text.matchAll(EXPRESSION)) {
    literal += plain(text.slice(from, match.index), allowed);
    from = match.index + match[0].length;
    const variable = match[1];
    if (variable === undefined) literal += '$';
    else {
      if (!allowed.includes(variable.replace(/\..*/, '.*'))) throw refusal(match[0], allowed);
      if (literal !== '') pieces.push(literal);
      pieces.push({ variable });
      literal = '';
    }
  }
  literal += plain(text.slice(from), allowed);
  return literal === '' ? pieces : [...pieces, literal];
}

/** Fills a word; `write` turns a variable's value into the text that is put in. */
export function fillWord(template: WordTemplate, write: (path: string) => string): string {
  return template.map((piece) => (typeof piece === 'string' ? piece : write(piece.variable))).join('');
}

function plain(text: string, allowed: readonly string[]): string {
  const open = text.indexOf('${');
  if (open !== -1) throw refusal(text.slice(open, open + 40), allowed);
  return text;
}

function refusal(expression: string, allowed: readonly string[]): SkeinError {
  const names = allowed.map((name) => `\${${name}}`).join(', ');
  return new SkeinError('invalid_item', `${expression} is no variable here; there are ${names} (and $$ for a $)`);
}
