import { hash } from 'node:crypto';
import type { Parser, Tree } from 'web-tree-sitter';
import { startOf } from '../core/cut-text.ts';
import { visibleText } from '../core/visible-text.ts';
import { type Declarations, readDeclarations } from './declarations.ts';
import type { Source } from './language.ts';
import type { FileSymbols } from './symbol-task.ts';

/** How long one file may take. */
const MAX_PARSE_MS = 2000;

/** Reads the symbols of a text. One that can't be parsed in time has a block with its path alone. */
export function readSymbols(source: Source, parser: Parser, maxMs = MAX_PARSE_MS): FileSymbols {
  const text = source.language.prepare?.(source.text) ?? source.text;
  const tree = parse(text, parser, maxMs);
  if (!tree) return symbolsOf(source.path, { problem: `it takes more than ${maxMs} ms to parse` });
  try {
    return symbolsOf(source.path, factsOf(readDeclarations(tree.rootNode, { ...source, text }), source));
  } finally {
    // Its memory is WebAssembly's, which no garbage collector sees.
    tree.delete();
  }
}

/** A file that has no symbols, and why. */
export function withoutSymbols(path: string, problem: string): FileSymbols {
  return symbolsOf(path, { problem });
}

function parse(text: string, parser: Parser, maxMs: number): Tree | null {
  const end = performance.now() + maxMs;
  // Declared to return nothing, and read by the parser as "stop" if it is true.
  const progressCallback = ((): boolean => performance.now() > end) as () => void;
  const tree = parser.parse(text, null, { progressCallback });
  if (!tree) parser.reset();
  return tree;
}

/** Names count only where files use them without saying where they are from. */
function factsOf(declarations: Declarations, source: Source): Facts {
  if (source.language.implicit !== true) return { ...declarations, names: [] };
  return { ...declarations, uses: wordsOf(source.text) };
}

type Facts = Partial<Declarations> & { readonly uses?: string; readonly problem?: string };

function symbolsOf(
  path: string,
  { lines = [], names = [], imports = [], links = [], uses = '', problem }: Facts,
): FileSymbols {
  const block = [`${visibleText(path)}:`, ...importLine(imports), ...lines].join('\n');
  return {
    block,
    hash: hash('sha256', block),
    names: names.filter((name) => NAME.test(name)).join(' '),
    uses,
    links,
    ...(problem !== undefined && { problem }),
  };
}

/** Characters of the imports that are shown. */
const MAX_IMPORTS = 400;

function importLine(imports: readonly string[]): string[] {
  if (imports.length === 0) return [];
  const line = `< ${imports.join(', ')}`;
  return [line.length > MAX_IMPORTS ? `${startOf(line, MAX_IMPORTS - 1)}…` : line];
}

const NAME = /^[A-Za-z_$][\w$]{2,}$/;
const WORD = /[A-Za-z_$][\w$]{2,}/g;

/** Words of one file that are looked up among the names of others. */
const MAX_WORDS = 2000;

/** Every word, also of comments and texts: only those that one other file declares will count. */
function wordsOf(text: string): string {
  return new Set(text.match(WORD)).values().take(MAX_WORDS).toArray().join(' ');
}
