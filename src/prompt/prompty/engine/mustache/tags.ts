import { MAX_TOKENS } from '../budgets.ts';
import { errorAt, syntaxError, type Place, type Source } from '../place.ts';

/** What a tag is by the character behind its opening: a plain variable has none. */
export type Sigil = '' | '&' | '#' | '^' | '/' | '>';

/** A text, or a tag, which is a place as well, with the name in it; `indent` is the whitespace before a partial that stands alone on its line. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string; readonly at: number }
  | (Place & {
      readonly kind: 'tag';
      readonly sigil: Sigil;
      readonly name: string;
      readonly indent: string;
    });

type Delimiters = { readonly open: string; readonly close: string };

type Found = {
  readonly sigil: Sigil | '!' | '=' | '{';
  readonly content: string;
  readonly at: number;
  readonly end: number;
};

/**
 * Cuts a Mustache template into texts and tags. Comments and changes of delimiters are left out; so is the line around a
 * section, comment, partial or change of delimiters that stands alone on it.
 *
 * @throws ValueError `template_syntax`, `template_too_large`
 */
export function findPieces(source: Source): readonly Piece[] {
  const { text } = source;
  const pieces: Piece[] = [];
  let delimiters: Delimiters = { open: '{{', close: '}}' };
  let from = 0;
  for (let at = text.indexOf('{{'); at !== -1; at = text.indexOf(delimiters.open, from)) {
    const tag = tagAt(source, at, delimiters);
    const line = LONE.has(tag.sigil) ? loneLine(text, tag, from) : undefined;
    pushText(pieces, text.slice(from, line?.start ?? at), from);
    const indent = line === undefined ? '' : text.slice(line.start, at);
    if (tag.sigil === '=') delimiters = newDelimiters(source, tag);
    else if (tag.sigil !== '!') pieces.push(pieceOf(source, tag, indent));
    from = line?.end ?? tag.end;
    if (pieces.length > MAX_TOKENS) {
      throw errorAt('template_too_large', { source, at }, `The template has more than ${MAX_TOKENS} tags and texts`);
    }
  }
  pushText(pieces, text.slice(from), from);
  return pieces;
}

function pushText(pieces: Piece[], text: string, at: number): void {
  if (text !== '') pieces.push({ kind: 'text', text, at });
}

const SIGILS: ReadonlySet<string> = new Set(['&', '#', '^', '/', '>', '!', '=', '{']);
const LONE: ReadonlySet<string> = new Set(['#', '^', '/', '>', '!', '=']);

function tagAt(source: Source, at: number, { open, close }: Delimiters): Found {
  const { text } = source;
  const inner = at + open.length;
  const first = text.charAt(inner);
  // One of the set, as was just looked up.
  const sigil = (SIGILS.has(first) ? first : '') as Found['sigil'];
  const ending = sigil === '{' ? `}${close}` : sigil === '=' ? `=${close}` : close;
  const end = text.indexOf(ending, inner + sigil.length);
  if (end === -1) throw syntaxError({ source, at }, `The tag is not closed by ${ending}`);
  return { sigil, content: text.slice(inner + sigil.length, end), at, end: end + ending.length };
}

/** The line of a tag that has nothing but whitespace around it, its end included. */
function loneLine(
  text: string,
  tag: Found,
  from: number,
): { readonly start: number; readonly end: number } | undefined {
  let start = tag.at;
  while (start > from && isBlank(text[start - 1])) start -= 1;
  // What was cut off before was a whole line, or the text in front of a tag on this one.
  if (start > 0 && text[start - 1] !== '\n') return undefined;
  let end = tag.end;
  while (isBlank(text[end])) end += 1;
  if (end === text.length || text[end] === '\n') return { start, end: Math.min(end + 1, text.length) };
  return text.startsWith('\r\n', end) ? { start, end: end + 2 } : undefined;
}

function isBlank(char: string | undefined): boolean {
  return char === ' ' || char === '\t';
}

/** Looking for a text of any length may take its length times that of the template. */
const MAX_DELIMITER = 32;

function newDelimiters(source: Source, { content, at }: Found): Delimiters {
  const [open, close, ...more] = content.trim().split(/\s+/);
  if (!open || !close || more.length > 0 || `${open}${close}`.includes('=')) {
    throw syntaxError({ source, at }, 'New delimiters are two, with a space between them and no = in them');
  }
  if (Math.max(open.length, close.length) > MAX_DELIMITER) {
    throw syntaxError({ source, at }, `New delimiters have at most ${MAX_DELIMITER} characters each`);
  }
  return { open, close };
}

const REFUSED: ReadonlyMap<string, string> = new Map([
  ['<', 'Inheritance of templates'],
  ['$', 'A block of a template'],
  ['*', 'A partial named by an input'],
]);

function pieceOf(source: Source, { sigil, content, at }: Found, indent: string): Piece {
  const name = content.trim();
  const refused = sigil === '' || sigil === '>' ? REFUSED.get(name.charAt(0)) : undefined;
  if (refused !== undefined) throw syntaxError({ source, at }, `${refused} is not supported`);
  if (name === '' || /\s/.test(name)) throw syntaxError({ source, at }, `${JSON.stringify(name)} is no name`);
  // Comments and delimiters have been dealt with; `{` means the same as `&`.
  return { kind: 'tag', sigil: sigil === '{' ? '&' : (sigil as Sigil), name, indent, at, source };
}
