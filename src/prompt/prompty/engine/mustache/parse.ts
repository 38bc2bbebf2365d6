import { MAX_SYNTAX_DEPTH } from '../budgets.ts';
import { errorAt, syntaxError, type Place, type Source } from '../place.ts';
import { findPieces, type Piece } from './tags.ts';

/** A part of a Mustache template. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly path: readonly string[]; readonly isEscaped: boolean; readonly place: Place }
  | {
      readonly kind: 'section';
      readonly isInverted: boolean;
      readonly path: readonly string[];
      readonly body: Parts;
      readonly place: Place;
    }
  | {
      readonly kind: 'partial';
      readonly name: string;
      readonly indent: string;
      /** Sections around it, and one. */
      readonly level: number;
      readonly place: Place;
    };

/** Parts in a row, and what carrying them out once costs. */
export interface Parts {
  readonly parts: readonly Part[];
  readonly weight: number;
}

/** A whole template. */
export interface ParsedMustache extends Parts {
  readonly hasPartials: boolean;
}

/** Reads a Mustache template. @throws ValueError `template_syntax`, `template_too_large`, `template_nesting_exceeded` */
export function parseMustache(source: Source): ParsedMustache {
  const open: Open[] = [{ name: '', parts: [], begin: 0, piece: undefined }];
  const pieces = findPieces(source);
  for (const [at, piece] of pieces.entries()) {
    const top = open.at(-1);
    if (top === undefined) break;
    if (piece.kind === 'text') top.parts.push(piece);
    else if (piece.sigil === '#' || piece.sigil === '^') open.push(opened(open, piece, at));
    else if (piece.sigil === '/') closeSection(open, piece, at);
    else top.parts.push(leaf(piece, open.length));
  }
  const [root, unclosed] = open;
  if (unclosed?.piece) throw syntaxError(unclosed.piece, `The section ${unclosed.name} is not closed`);
  const hasPartials = pieces.some((piece) => piece.kind === 'tag' && piece.sigil === '>');
  return { parts: root?.parts ?? [], weight: pieces.length, hasPartials };
}

type Tag = Extract<Piece, { readonly kind: 'tag' }>;
type Open = { readonly name: string; readonly parts: Part[]; readonly begin: number; readonly piece: Tag | undefined };

function opened(open: readonly Open[], piece: Tag, at: number): Open {
  if (open.length > MAX_SYNTAX_DEPTH) throw errorAt('template_nesting_exceeded', piece, 'Sections are nested too deep');
  return { name: piece.name, parts: [], begin: at, piece };
}

function closeSection(open: Open[], piece: Tag, at: number): void {
  const section = open.pop();
  const outer = open.at(-1);
  if (section?.piece === undefined || outer === undefined) {
    throw syntaxError(piece, `There is no section ${piece.name} to close`);
  }
  if (section.name !== piece.name) {
    throw syntaxError(piece, `Expected the end of the section ${section.name}, found that of ${piece.name}`);
  }
  outer.parts.push({
    kind: 'section',
    isInverted: section.piece.sigil === '^',
    path: pathOf(piece.name),
    body: { parts: section.parts, weight: at - section.begin },
    place: section.piece,
  });
}

function leaf(piece: Tag, level: number): Part {
  const { sigil, name, indent } = piece;
  if (sigil === '>') return { kind: 'partial', name, indent, level, place: piece };
  return { kind: 'variable', path: pathOf(name), isEscaped: sigil !== '&', place: piece };
}

/** `.` alone, the current element, is the empty path. */
function pathOf(name: string): readonly string[] {
  if (name === '.') return [];
  return name.includes('.') ? name.split('.') : [name];
}
