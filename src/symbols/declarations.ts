import type { Node } from 'web-tree-sitter';
import { own } from '../core/record.ts';
import { declaredNames, declaredType } from './declarators.ts';
import { headOf } from './head.ts';
import type { DeclarationRule, FileLink, Language, Source, SymbolKind } from './language.ts';
import { oneLine } from './one-line.ts';

/** What a source file declares and imports. */
export type Declarations = {
  /** One a declaration, indented. */
  readonly lines: readonly string[];
  /** What other files may call it by. */
  readonly names: readonly string[];
  readonly imports: readonly string[];
  readonly links: readonly FileLink[];
};

/** Declarations of one file that are shown, names of it that others may use, and nodes that are looked at: imports may stand at its end. */
const MAX_LINES = 400;
const MAX_NAMES = 2000;
const MAX_NODES = 20_000;

/** How deep the tree is followed: classes in classes, and what is passed through. */
const MAX_DEPTH = 12;

/** Reads a syntax tree. Bodies of functions are not looked into, which is what makes it quick. */
export function readDeclarations(root: Node, source: Source): Declarations {
  const found: Found = { nodes: 0, lines: [], names: new Set(), imports: new Set(), links: [] };
  visitChildren(root, { source, found, indent: 0, depth: 0 });
  if (found.lines.length > MAX_LINES || found.nodes > MAX_NODES) found.lines.splice(MAX_LINES, Infinity, '…');
  return { lines: found.lines, names: [...found.names], imports: [...found.imports], links: found.links };
}

type Found = {
  nodes: number;
  readonly lines: string[];
  readonly names: Set<string>;
  readonly imports: Set<string>;
  readonly links: FileLink[];
};

/** Where a walk is; `inside` is the kind of the declaration around. */
type Visit = {
  readonly source: Source;
  readonly found: Found;
  readonly indent: number;
  readonly depth: number;
  readonly inside?: SymbolKind;
  readonly isExported?: boolean;
};

function visitChildren(node: Node, visit: Visit): void {
  if (visit.depth > MAX_DEPTH) return;
  for (const child of node.namedChildren) visitNode(child, visit);
}

function visitNode(node: Node, visit: Visit): void {
  if (visit.found.nodes++ > MAX_NODES) return;
  const { declarations, transparent, transparentIn } = visit.source.language;
  readImport(node, visit);
  const rule = own(declarations, node.type);
  if (rule?.each !== undefined) {
    const { each } = rule;
    for (const child of node.namedChildren) if (child.type === each) visitNode(child, visit);
  } else if (rule) declare(node, rule, visit);
  else if (transparent.includes(node.type) || node.type === 'ERROR' || isIn(node, transparentIn)) {
    const isExported = visit.isExported === true || node.type === 'export_statement';
    visitChildren(node, { ...visit, depth: visit.depth + 1, isExported });
  }
}

function isIn(node: Node, transparentIn: Language['transparentIn'] = {}): boolean {
  return Object.hasOwn(transparentIn, node.type) && node.parent?.type === transparentIn[node.type];
}

function readImport(node: Node, { source, found }: Visit): void {
  const { imports } = source.language;
  const read = own(imports, node.type);
  if (!read) return;
  const field = (name: string): string | undefined => node.childForFieldName(name)?.text.slice(0, MAX_IMPORT);
  const names = read({ text: node.text.slice(0, MAX_IMPORT), field, path: source.path });
  for (const name of names?.shown ?? []) found.imports.add(oneLine(name));
  const links = (names?.links ?? []).filter((link) => link.length > 0 && link.every((way) => way.length <= MAX_WAY));
  found.links.push(...links.slice(0, Math.max(0, MAX_LINKS - found.links.length)));
}

/** Characters of an import that are looked at. */
const MAX_IMPORT = 4000;
/** Characters of a place that an import may mean, and imports of a file: the index of a project holds them all. */
const MAX_WAY = 300;
const MAX_LINKS = 2000;

function declare(node: Node, rule: DeclarationRule, visit: Visit): void {
  declareOne(node, rule, visit);
  const next = rule.chained === undefined ? null : node.childForFieldName(rule.chained);
  if (next?.type === node.type && visit.depth < MAX_DEPTH) visitNode(next, { ...visit, depth: visit.depth + 1 });
}

function declareOne(node: Node, rule: DeclarationRule, visit: Visit): void {
  const wrapped = rule.wraps === undefined ? null : node.childForFieldName(rule.wraps);
  if (wrapped?.childForFieldName('body')) return visitNode(wrapped, visit);
  if (rule.needs !== undefined && !node.childForFieldName(rule.needs)) return;
  if (rule.nameless !== undefined && node.parent?.type !== rule.nameless.within) return;
  const names = namesOf(node, rule);
  if (rule.name !== undefined && !new RegExp(rule.name.only, 'u').test(names[0] ?? '')) return;
  const kind = inMembers(kindOf(node, rule), visit.inside);
  if (visit.found.lines.length <= MAX_LINES) show(node, { rule, kind, visit });
  if (!'mpn'.includes(kind) && isOwn(node, rule)) addNames(names, visit.found);
  if (rule.members) visitMembers(node, kind, visit);
}

function show(node: Node, { rule, kind, visit }: { rule: DeclarationRule; kind: SymbolKind; visit: Visit }): void {
  const { source, found, indent, isExported, inside } = visit;
  const head = headOf(node, rule, source);
  // Nobody else reads it, and a block that changes costs all that stands behind it.
  if (kind === 'p' && PRIVATE.test(head.text)) return;
  const isPublic = head.isPublic || (isExported === true && inside !== 'c' && inside !== 'i');
  found.lines.push(`${'  '.repeat(indent)}${isPublic ? '+' : ''}${kind} ${head.text}`);
}

function isOwn(node: Node, { announced }: DeclarationRule): boolean {
  return announced === undefined || node.childForFieldName(announced) !== null;
}

function addNames(more: readonly string[], { names }: Found): void {
  for (const name of more) if (names.size < MAX_NAMES) names.add(name);
}

/** Among the words before the name. */
const PRIVATE = /^(?:\w+ )*(?:#|private )/;

function visitMembers(node: Node, kind: SymbolKind, visit: Visit): void {
  const type = node.childForFieldName('type');
  const body = node.childForFieldName('body') ?? type;
  if (!body) return;
  const holder = body === type ? (body.namedChildren.find(({ type }) => type.endsWith('_list')) ?? body) : body;
  const { source, found } = visit;
  visitChildren(holder, { source, found, indent: visit.indent + 1, depth: visit.depth + 1, inside: kind });
}

function kindOf(node: Node, { kind, kindBy }: DeclarationRule): SymbolKind {
  const type =
    kindBy && (kindBy.field === 'declarator' ? declaredType(node) : node.childForFieldName(kindBy.field)?.type);
  return (type !== undefined && kindBy?.kinds[type]) || kind;
}

const WITH_MEMBERS = new Set<SymbolKind | undefined>(['c', 'i', 's', 'u', 'b']);

/** What is inside a class is its method or property. */
function inMembers(kind: SymbolKind, inside: SymbolKind | undefined): SymbolKind {
  if (!WITH_MEMBERS.has(inside)) return kind;
  if (kind === 'f') return 'm';
  return kind === 'v' ? 'p' : kind;
}

function namesOf(node: Node, { name }: DeclarationRule): readonly string[] {
  const named = node.childrenForFieldName(name?.field ?? 'name');
  return named.length > 0 ? named.map(({ text }) => text) : declaredNames(node);
}
