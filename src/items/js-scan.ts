import { readExportList } from './js-exports.ts';
import { endOfRegex, JsFault, skipJsSpace, skipJsText, skipTemplateText, wordAt } from './js-text.ts';
import { skipTypeAnnotation, skipTypeAssertions } from './js-types.ts';
import { lineEnd } from './line-end.ts';
import { type SourceCursor, take } from './source-cursor.ts';

/** A `const`, `let` or `var` with a value at the top level of a module. */
export type JsDeclaration = {
  readonly name: string;
  readonly exported: boolean;
  readonly offset: number;
  /** Where its value starts. */
  readonly value: number;
};

/** A module that is imported by a text: `import … from '…'`, `export … from '…'`, `import '…'`, or `import('…')`, which is dynamic. */
export type JsImport = { readonly specifier: string; readonly isDynamic: boolean };

/** What a module declares at its top level, the names under which it exports it by `export {…}`, and what it imports. */
export type JsOutline = {
  readonly declarations: readonly JsDeclaration[];
  /** Without those of types alone, which nobody loads; specifiers as they are written between their quotes. */
  readonly imports: readonly JsImport[];
  /** Local names by exported names. */
  readonly exports: ReadonlyMap<string, string>;
};

/**
 * Finds the top-level variables and exports of a JavaScript or TypeScript module without parsing the rest of it: texts,
 * templates, comments, regular expressions and brackets are told apart, which is enough to know what is top level.
 * Linear, whatever the text says.
 *
 * @throws JsFault for a text, comment, template or bracket without an end
 */
export function outlineJs(text: string): JsOutline {
  const scan: Scan = {
    cursor: { text, at: text.startsWith('#!') ? lineEnd(text, 0) : 0 },
    open: [],
    declarations: [],
    imports: [],
    exports: new Map(),
    last: 'block',
    statement: 'other',
    isOfTypes: false,
    noRegexBefore: 0,
    noDeclaratorBefore: 0,
  };
  while (readToken(scan));
  const [open] = scan.open;
  if (open !== undefined) throw new JsFault(`a "${open.mark}" without an end`, open.offset);
  return scan;
}

/** The kinds of token that decide what a following `/` or `{` begins. `head`: `if` and the like, before their `(`. */
type Last = 'operator' | 'operand' | 'block' | 'head' | 'dot' | 'arrow';

type Open = {
  readonly mark: '(' | '[' | '{' | '${';
  readonly offset: number;
  /** What the token is that closes it. */
  readonly after: Last;
};

type Scan = JsOutline & {
  readonly cursor: SourceCursor;
  readonly open: Open[];
  readonly declarations: JsDeclaration[];
  readonly imports: JsImport[];
  readonly exports: Map<string, string>;
  last: Last;
  /** Whether a name at the top level is one that is being declared. */
  statement: 'export' | 'declaration' | 'exported declaration' | 'other';
  /** Whether the last `import` or `export` is one of types alone. */
  isOfTypes: boolean;
  /** Up to here, the end of a line, no regular expression was found: it is not searched for again. */
  noRegexBefore: number;
  /** Up to here, the end of a type, no value was found for a name: no name in that type is one that is being declared. */
  noDeclaratorBefore: number;
};

const CLOSES: Readonly<Record<string, Open['mark']>> = { ')': '(', ']': '[', '}': '{' };

function readToken(scan: Scan): boolean {
  const { cursor } = scan;
  const newline = skipJsSpace(cursor);
  const char = cursor.text[cursor.at];
  if (char === undefined) return false;
  if (char === '"' || char === "'") {
    skipJsText(cursor);
    scan.last = 'operand';
  } else if (char === '`') {
    cursor.at++;
    readTemplate(scan);
  } else if ('([{'.includes(char)) openBracket(scan, char);
  else if (')]}'.includes(char)) closeBracket(scan, char);
  else if (char === '/' && scan.last !== 'operand' && isRegex(scan)) scan.last = 'operand';
  else readWordOrMark(scan, char, newline);
  return true;
}

/** Moves past a regular expression. Without an end on its line it is none, but a division. */
function isRegex(scan: Scan): boolean {
  const { cursor } = scan;
  if (cursor.at < scan.noRegexBefore) return false;
  const end = endOfRegex(cursor);
  if (end.closed) cursor.at = end.at;
  else scan.noRegexBefore = end.at;
  return end.closed;
}

function readTemplate(scan: Scan): void {
  const offset = scan.cursor.at - 1;
  if (skipTemplateText(scan.cursor) === 'expression') {
    scan.open.push({ mark: '${', offset, after: 'operand' });
    scan.last = 'operator';
  } else scan.last = 'operand';
}

function openBracket(scan: Scan, char: string): void {
  const { cursor, last } = scan;
  const offset = cursor.at++;
  if (char === '(') scan.open.push({ mark: '(', offset, after: last === 'head' ? 'block' : 'operand' });
  else if (char === '[') scan.open.push({ mark: '[', offset, after: 'operand' });
  else scan.open.push({ mark: '{', offset, after: last === 'operator' ? 'operand' : 'block' });
  scan.last = char === '{' && last !== 'operator' ? 'block' : 'operator';
}

function closeBracket(scan: Scan, char: string): void {
  const offset = scan.cursor.at++;
  const open = scan.open.pop();
  if (open?.mark === '${' && char === '}') {
    readTemplate(scan);
    return;
  }
  if (open?.mark !== CLOSES[char]) throw new JsFault(`a "${char}" that closes nothing`, offset);
  scan.last = open?.after ?? 'operand';
}

/** After these words a value follows, and so a `/` begins a regular expression and a `{` an object. */
const BEFORE_VALUE = new Set(
  'return typeof instanceof in of new delete void throw case yield await default extends'.split(' '),
);
const BEFORE_BLOCK = new Set(['else', 'do', 'try', 'finally']);
const HEADS = new Set(['if', 'while', 'for', 'with']);

function readWordOrMark(scan: Scan, char: string, newline: boolean): void {
  const { cursor, last } = scan;
  const word = wordAt(cursor);
  if (word === '') {
    readMark(scan, char, newline);
    return;
  }
  const isProperty = last === 'dot';
  if ((word === 'as' || word === 'satisfies') && last === 'operand' && !newline) {
    skipTypeAssertions(cursor);
    return;
  }
  cursor.at += word.length;
  scan.last = isProperty ? 'operand' : kindOfWord(word);
  if (!isProperty) readImport(scan, word);
  if (scan.open.length > 0 || isProperty) return;
  if (newline && (last === 'operand' || last === 'block')) scan.statement = 'other';
  readTopLevelWord(scan, word);
}

const TYPES_ALONE = /\s+type(?![\w$])\s*(?!from\b|\s)[\w${*]/y;

/** Looks at what follows the word, and leaves it to be read as other tokens. */
function readImport(scan: Scan, word: string): void {
  const isTopLevel = scan.open.length === 0;
  if (isTopLevel && (word === 'import' || word === 'export')) {
    TYPES_ALONE.lastIndex = scan.cursor.at;
    scan.isOfTypes = TYPES_ALONE.test(scan.cursor.text);
  }
  if (word !== 'from' && word !== 'import') return;
  const ahead = { ...scan.cursor };
  skipJsSpace(ahead);
  const isDynamic = word === 'import' && take(ahead, '(');
  if (isDynamic) skipJsSpace(ahead);
  const isText = ahead.text[ahead.at] === '"' || ahead.text[ahead.at] === "'";
  if (!isText || !(isDynamic || (isTopLevel && !scan.isOfTypes))) return;
  const specifier = skipJsText(ahead);
  skipJsSpace(ahead);
  // Of one that is put together only the first part would be known.
  if (isDynamic && !take(ahead, ')') && !take(ahead, ',')) return;
  scan.imports.push({ specifier, isDynamic });
}

function kindOfWord(word: string): Last {
  if (HEADS.has(word)) return 'head';
  if (BEFORE_VALUE.has(word)) return 'operator';
  return BEFORE_BLOCK.has(word) ? 'block' : 'operand';
}

function readMark(scan: Scan, char: string, newline: boolean): void {
  const { cursor } = scan;
  const next = cursor.text[cursor.at + 1];
  const isDouble = (char === '=' && next === '>') || ('+-'.includes(char) && next === char);
  // After a value `++`, `--` and TypeScript's `!` end it.
  const isPostfix = scan.last === 'operand' && !newline && (char === '!' ? next !== '=' : isDouble && char !== '=');
  cursor.at += isDouble ? 2 : 1;
  if (!isPostfix)
    scan.last = char === '.' ? 'dot' : char === ';' ? 'block' : isDouble && char === '=' ? 'arrow' : 'operator';
  if (scan.open.length > 0) return;
  if (char === ';') scan.statement = 'other';
  if (char === ',') readDeclarator(scan);
}

function readTopLevelWord(scan: Scan, word: string): void {
  if (word === 'export') {
    scan.statement = 'export';
    for (const [exported, local] of readExportList(scan.cursor)) scan.exports.set(exported, local);
  } else if (word === 'const' || word === 'let' || word === 'var') {
    scan.statement = scan.statement === 'export' ? 'exported declaration' : 'declaration';
    const { text, at } = scan.cursor;
    if (!readDeclarator(scan) && /^\s*[^\s\w$[{\\\u0080-\uffff/]/.test(text.slice(at, at + 100))) {
      throw new JsFault(`"${word}" without a name`, at);
    }
  } else if (scan.statement === 'export') scan.statement = 'other';
}

/**
 * A name after `const` or a comma, its type and `=`. What is none of that, such as a pattern, a name without a value or
 * the comma of TypeScript's `<A, B>`, is left to be read as other tokens.
 */
function readDeclarator(scan: Scan): boolean {
  if (scan.statement !== 'declaration' && scan.statement !== 'exported declaration') return false;
  if (scan.cursor.at < scan.noDeclaratorBefore) return false;
  const cursor: SourceCursor = { ...scan.cursor };
  skipJsSpace(cursor);
  const offset = cursor.at;
  const name = wordAt(cursor);
  if (name === '') return false;
  cursor.at += name.length;
  skipTypeAnnotation(cursor);
  skipJsSpace(cursor);
  if (cursor.text[cursor.at] !== '=' || cursor.text[cursor.at + 1] === '=') {
    scan.noDeclaratorBefore = cursor.at;
    return false;
  }
  scan.cursor.at = cursor.at + 1;
  scan.last = 'operator';
  const exported = scan.statement === 'exported declaration';
  scan.declarations.push({ name, exported, offset, value: cursor.at + 1 });
  return true;
}
