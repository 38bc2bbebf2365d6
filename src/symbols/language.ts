/**
 * What a declaration is, as one letter of the blocks: class, interface or trait, struct, union, enum, type, function,
 * method, property or field, variable or constant, namespace or module, `impl` block, macro.
 */
export type SymbolKind = 'c' | 'i' | 's' | 'u' | 'e' | 't' | 'f' | 'm' | 'p' | 'v' | 'n' | 'b' | 'x';

/** How a node of a declaration is shown. */
export type DeclarationRule = {
  readonly kind: SymbolKind;
  /** Fields or node types at which its head ends, the first that is there; default: the node's end. */
  readonly until?: readonly string[];
  /** The word that says what it is, which its kind says already; `$1` is what stands before it. */
  readonly noun?: RegExp;
  /** Node types that its head goes without, where they are in its body or the body of what is in there. */
  readonly without?: readonly string[];
  /** The field of values that its head goes without, with what leads over to them: its own, or those of its declarators. */
  readonly values?: string;
  /** What stands in this field may be another one: `a = b = 1`. */
  readonly chained?: string;
  /** Its members are declarations of their own, shown inside it. */
  readonly members?: true;
  /** It declares something for each child of this type, which is shown in its place. */
  readonly each?: string;
  /** By the type of a child field: another kind. Of declarators the one next to the name counts. */
  readonly kindBy?: { readonly field: string; readonly kinds: Readonly<Record<string, SymbolKind>> };
  /** It is declared only if it has this field, or if that one has a body, which then is what is declared. */
  readonly needs?: string;
  readonly wraps?: string;
  /** It has no name: it is declared only within a node of this type, and this word takes the name's place. */
  readonly nameless?: { readonly within: string; readonly name: string };
  /** Without this field it is only announced: what other files mean by its name is declared elsewhere. */
  readonly announced?: string;
  /** The field of its name, and which names are declarations, as a pattern with `u`; default: `name`, all. */
  readonly name?: { readonly field: string; readonly only: string };
};

/**
 * One way to another file: places it may be at, the first one that exists is meant. `./a` and `../a` start at the
 * importing file's folder, others at the root or at any folder below. Without the extensions of the language.
 */
export type FileLink = readonly string[];

/** What an import says. */
export type ImportNames = {
  /** As it is shown in the block. */
  readonly shown: readonly string[];
  readonly links: readonly FileLink[];
};

/** The text of an import and the parts of it by field; `path` is the importing file's. */
export type ImportText = {
  readonly text: string;
  readonly field: (name: string) => string | undefined;
  readonly path: string;
};

/** What a language's syntax tree means. Small, so that a language is a page and a declaration a line. */
export type Language = {
  readonly name: string;
  /** The grammar of each file extension, as `@vscode/tree-sitter-wasm` names it. */
  readonly grammars: Readonly<Record<string, string>>;
  /** Makes a text one that the grammar understands; what stays stands where it stood. */
  readonly prepare?: (text: string) => string;
  /** Declarations, by node type. */
  readonly declarations: Readonly<Record<string, DeclarationRule>>;
  /** Nodes that are passed through: their children count as if they stood there themselves. */
  readonly transparent: readonly string[];
  /** The same of nodes below a certain one alone, by what they are. */
  readonly transparentIn?: Readonly<Record<string, string>>;
  readonly imports: Readonly<Record<string, (text: ImportText) => ImportNames | undefined>>;
  /** What starts a comment up to the line's end. */
  readonly lineComment: '//' | '#';
  /** What a linked path may end in, the likeliest first. */
  readonly endings: readonly string[];
  /** Files use names of other files without saying where they are from. */
  readonly implicit?: true;
};

/** A source file's text, and where and what it is. */
export type Source = { readonly path: string; readonly text: string; readonly language: Language };

/** The text of a quoted string. */
export function unquoted(text: string): string {
  return text.slice(1, -1);
}

/** Words that say how something is declared, and stand before the one that says what it is. */
const MANNERS =
  'abstract|async|const|declare|default|export|extern(?: "\\w+")?|final|private|protected|sealed|static|unsafe';

/** The pattern of the nouns of a declaration, given as alternatives. Where nothing else is said (`union {`), they stay. */
export function nounOf(nouns: string): RegExp {
  return new RegExp(`^((?:(?:${MANNERS}) )*?)(?:${nouns})(?: |(?=[<({])|(?<=^default .*)$)`);
}
