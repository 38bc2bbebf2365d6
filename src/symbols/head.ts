import type { Node } from 'web-tree-sitter';
import type { DeclarationRule, Language, Source } from './language.ts';
import { oneLine } from './one-line.ts';

/** The head of a declaration as it is shown, and whether it says that others can see it. */
export type Head = { readonly text: string; readonly isPublic: boolean };

/** Characters of a head that are shown. */
const MAX_HEAD = 120;

/** Characters of the source that are looked at for it: room for comments and line breaks. */
const MAX_READ = 2000;

/** The declaration up to its body or value, on one line, without what its kind says already. */
export function headOf(node: Node, rule: DeclarationRule, { text, language }: Source): Head {
  const { start, words } = startOf(node);
  const raw = withoutComments(textFrom(start, { node, rule, text }), language);
  const line = shorten([...words, oneLine(raw)].join(' '));
  const visible = VISIBLE.exec(line)?.[0] ?? '';
  const head = [rule.nameless?.name ?? '', line.slice(visible.length)].join(' ').trimStart();
  return { text: cut(rule.noun ? head.replace(rule.noun, '$1').trimEnd() : head), isPublic: visible !== '' };
}

const VISIBLE = /^(?:pub(?: ?\([^)]{0,80}\))?|public) /;

/** Without annotations; the words among them are kept. */
function startOf(node: Node): { readonly start: number; readonly words: readonly string[] } {
  const words: string[] = [];
  for (const child of node.children) {
    if (!ASIDE.has(child.type)) return { start: child.startIndex, words };
    if (child.type === 'modifiers')
      words.push(...child.children.filter(({ isNamed }) => !isNamed).map(({ text }) => text));
  }
  return { start: node.startIndex, words };
}

const ASIDE = new Set(['decorator', 'modifiers', 'comment', 'line_comment', 'block_comment', 'attribute_item']);

type Cutout = { readonly node: Node; readonly rule: DeclarationRule; readonly text: string };

function textFrom(start: number, { node, rule, text }: Cutout): string {
  let [from, read] = [start, ''];
  let part = rule.without ? node.childForFieldName('body')?.firstNamedChild : null;
  for (; part && read.length + part.startIndex - from <= MAX_READ; part = part.nextNamedSibling) {
    const gap = [part, part.childForFieldName('body')].find((inner) => inner && rule.without?.includes(inner.type));
    if (!gap) continue;
    read += text.slice(from, gap.startIndex);
    from = gap.endIndex;
  }
  return read + text.slice(from, Math.min(endOf(node, rule), from + MAX_READ));
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

function withoutComments(text: string, { lineComment }: Language): string {
  if (!text.includes(lineComment) && !text.includes('/*')) return text;
  if (lineComment === '#') return text.replace(/(^|\s)#[^\n]*(?=\n|$)/g, '$1');
  return text.replace(/(^|[\s,({;])\/\/[^\n]*(?=\n|$)/g, '$1').replace(/\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\//g, ' ');
}

/** Without what only leads over to the body or value. */
function shorten(line: string): string {
  return line.replace(/ ?(?:=>|:=|[={:;,])$/, '').replace(/([([]) |,? (?=[)\],;])|,(?=[)\]])/g, '$1');
}

function cut(text: string): string {
  return text.length > MAX_HEAD ? `${text.slice(0, MAX_HEAD - 1).toWellFormed()}…` : text;
}
