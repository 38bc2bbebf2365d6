import type { Node, Point } from 'web-tree-sitter';
import { startOf } from '../core/cut-text.ts';
import type { DeclarationRule, Source } from './language.ts';
import { oneLine } from './one-line.ts';

/** The head of a declaration as it is shown, and whether it says that others can see it. */
export type Head = { readonly text: string; readonly isPublic: boolean };

/** Characters of a head that are shown. */
const MAX_HEAD = 120;

/** Characters of the source that are looked at for it: room for comments and line breaks. */
const MAX_READ = 2000;

/** The declaration up to its body or value, on one line, without what its kind says already. */
export function headOf(node: Node, rule: DeclarationRule, source: Source): Head {
  const { start, words } = beginningOf(node);
  const line = shorten([...words, oneLine(textFrom(start, { node, rule, source }))].join(' '));
  const visible = VISIBLE.exec(line)?.[0] ?? '';
  const head = [rule.nameless?.name ?? '', line.slice(visible.length)].join(' ').trimStart();
  return { text: cut(rule.noun ? head.replace(rule.noun, '$1').trimEnd() : head), isPublic: visible !== '' };
}

const VISIBLE = /^(?:pub(?: ?\([^)]{0,80}\))?|public) /;

/** Without annotations; the words among them are kept. */
function beginningOf(node: Node): { readonly start: number; readonly words: readonly string[] } {
  const words: string[] = [];
  for (const child of node.children) {
    if (!ASIDE.has(child.type)) return { start: child.startIndex, words };
    if (child.type === 'modifiers')
      words.push(...child.children.filter(({ isNamed }) => !isNamed).map(({ text }) => text));
  }
  return { start: node.startIndex, words };
}

const COMMENTS = ['comment', 'line_comment', 'block_comment'];
const ASIDE = new Set(['decorator', 'modifiers', 'attribute_item', ...COMMENTS]);

type Cutout = { readonly node: Node; readonly rule: DeclarationRule; readonly source: Source };

function textFrom(start: number, { node, rule, source }: Cutout): string {
  let [from, read] = [start, ''];
  for (const gap of gapsOf(node, rule)) {
    if (read.length + gap.startIndex - from > MAX_READ) break;
    read += withoutComments(node, [from, gap.startIndex], source);
    from = gap.endIndex;
  }
  return read + withoutComments(node, [from, Math.min(endOf(node, rule), from + MAX_READ)], source);
}

type Gap = Pick<Node, 'startIndex' | 'endIndex'>;

/** What the head goes without, in its order. */
function* gapsOf(node: Node, { without, values }: DeclarationRule): Generator<Gap> {
  let part = without ? node.childForFieldName('body')?.firstNamedChild : null;
  for (; part; part = part.nextNamedSibling) {
    const gap = [part, part.childForFieldName('body')].find((inner) => inner && without?.includes(inner.type));
    if (gap) yield gap;
  }
  for (const value of values === undefined ? [] : valuesOf(node, values)) {
    const before = value.previousSibling;
    yield { startIndex: (before?.type === '=' ? before : value).startIndex, endIndex: value.endIndex };
  }
}

function valuesOf(node: Node, field: string): readonly Node[] {
  const ofDeclarators = node.childrenForFieldName('declarator').flatMap((each) => each.childForFieldName(field) ?? []);
  return [...node.childrenForFieldName(field), ...ofDeclarators];
}

/** A piece of the source without its comments, which the syntax tree tells from what looks like one in a text. */
function withoutComments(node: Node, [start, end]: readonly [number, number], { text, language }: Source): string {
  const piece = text.slice(start, end);
  if (!piece.includes(language.lineComment) && !piece.includes('/*')) return piece;
  let [from, kept] = [start, ''];
  for (const comment of node.descendantsOfType(COMMENTS, pointAt(start, node, text), pointAt(end, node, text))) {
    if (comment.startIndex < from || comment.startIndex >= end) continue;
    kept += `${text.slice(from, comment.startIndex)} `;
    from = comment.endIndex;
  }
  return kept + text.slice(from, end);
}

function pointAt(index: number, { startIndex, startPosition: { row, column } }: Node, text: string): Point {
  const lines = text.slice(startIndex, index).split('\n');
  const last = lines.at(-1)?.length ?? 0;
  return { row: row + lines.length - 1, column: lines.length > 1 ? last : column + last };
}

function endOf(node: Node, { until = [], kindBy }: DeclarationRule): number {
  for (const name of until) {
    const part = node.childForFieldName(name) ?? innerPart(node, name);
    if (!part) continue;
    // A function that is a value is shown up to its own body.
    const body = kindBy && Object.hasOwn(kindBy.kinds, part.type) && part.childForFieldName('body');
    return (body || part).startIndex;
  }
  return node.endIndex;
}

/** A child by its type, or what stands one level deeper. */
function innerPart(node: Node, name: string): Node | undefined {
  for (const child of node.namedChildren) {
    if (child.type === name) return child;
    const inner = child.childForFieldName(name) ?? child.namedChildren.find(({ type }) => type === name);
    if (inner) return inner;
  }
  return undefined;
}

/** Without what only leads over to the body or value. */
function shorten(line: string): string {
  return line.replace(/ ?(?:=>|:=|[={:;,])$/, '').replace(/([([]) |,? (?=[)\],;])|,(?=[)\]])/g, '$1');
}

function cut(text: string): string {
  return text.length > MAX_HEAD ? `${startOf(text, MAX_HEAD - 1).toWellFormed()}…` : text;
}
