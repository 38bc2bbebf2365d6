import type { Node } from 'web-tree-sitter';

/** How many declarators may stand around a name. */
const MAX_DECLARATORS = 12;

/** The names of what is declared, which C wraps into how it is declared: `*f(int)` is a pointer, around a function, around `f`. */
export function declaredNames(node: Node): readonly string[] {
  return node.childrenForFieldName('declarator').flatMap((outer) => {
    const around = declaratorsFrom(outer);
    return around.length < MAX_DECLARATORS ? (around.at(-1)?.text ?? []) : [];
  });
}

/**
 * What the first of them is, by the type of the declarator next to it: `char *f(int)` is a function that returns a pointer,
 * `int (*f)(int)` a pointer to a function.
 */
export function declaredType(node: Node): string | undefined {
  const outer = node.childForFieldName('declarator');
  return declaratorsFrom(outer).findLast(({ type }) => type.endsWith('declarator') && !SILENT.has(type))?.type;
}

/** They change nothing about what it is. */
const SILENT = new Set(['parenthesized_declarator', 'attributed_declarator']);

/** From the outside to the name. */
function declaratorsFrom(outer: Node | null): Node[] {
  const found: Node[] = [];
  let at = outer;
  while (at && found.length < MAX_DECLARATORS) {
    found.push(at);
    at = at.childForFieldName('declarator') ?? insideOf(at);
  }
  return found;
}

const WRAPPERS = new Set([...SILENT, 'reference_declarator']);

/** What stands inside without a field of its own. */
function insideOf(node: Node): Node | null {
  const child = (pattern: RegExp): Node | null => node.namedChildren.find(({ type }) => pattern.test(type)) ?? null;
  if (WRAPPERS.has(node.type)) return child(/declarator$|identifier$/);
  if (node.type !== 'qualified_identifier') return null;
  // What it names was declared elsewhere, but for `A::*member`; and a macro in front makes a name look like it.
  return node.text.includes('::') ? child(/_declarator$/) : node.childForFieldName('name');
}
