import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { extname, isAbsolute, relative, resolve, sep } from 'node:path';

export const __version__ = '1.0.0';
export const __tool_type__ = 'node';
export const __executor_id__ = 'rye/core/runtimes/node_runtime';
export const __category__ = 'demo';
export const __tool_description__ =
  'Count one file: lines, words, headings (Markdown) and exported names (JavaScript, TypeScript), which no parser finds: some may be missed, or too many.';
export const __idempotent__ = true;

export const CONFIG_SCHEMA = {
  type: 'object',
  properties: {
    folder: { type: 'string', minLength: 1, description: 'Absolute path of the surveyed folder.' },
    path: { type: 'string', minLength: 1, description: 'The file, relative to that folder.' },
  },
  required: ['folder', 'path'],
  additionalProperties: false,
};

const MAX_FILE_BYTES = 2 * 1024 * 1024;
const MARKDOWN = new Set(['.md', '.markdown', '.mdx']);
const CODE = new Set(['.js', '.mjs', '.cjs', '.jsx', '.ts', '.mts', '.cts', '.tsx']);

export function execute({ folder, path }) {
  const read = readText(folder, path);
  if (read.problem !== undefined) return report(path, 'unreadable', { problem: read.problem });
  const extension = extname(path).toLowerCase();
  const counts = { lines: countLines(read.text), words: countWords(read.text) };
  if (MARKDOWN.has(extension)) return report(path, 'markdown', { ...counts, headings: countHeadings(read.text) });
  if (CODE.has(extension)) return report(path, 'code', { ...counts, exports: exportedNames(read.text).size });
  return report(path, 'text', counts);
}

function report(path, kind, { lines = 0, words = 0, headings = 0, exports = 0, problem = '' }) {
  return { path, kind, lines, words, headings, exports, problem };
}

/** A final line break ends the last line; it does not begin another. */
function countLines(text) {
  const breaks = text.split('\n').length - 1;
  return text === '' || text.endsWith('\n') ? breaks : breaks + 1;
}

/** Runs of anything but white space. */
function countWords(text) {
  return text.match(/\S+/g)?.length ?? 0;
}

/** Lines that begin with one to six `#`, outside fenced code. */
function countHeadings(text) {
  let fence = '';
  let count = 0;
  for (const line of text.split(/\r?\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (fence !== '') {
      if (mark && mark[1].startsWith(fence) && mark[2].trim() === '') fence = '';
    } else if (mark && !(mark[1][0] === '`' && mark[2].includes('`'))) fence = mark[1];
    else if (/^ {0,3}#{1,6}(?:[ \t]|$)/.test(line)) count++;
  }
  return count;
}

/**
 * The names a module exports by declaration or list. What `export * from` passes on is not known here, and where text in JSX, or a
 * regular expression right behind a block, has a bracket or quote without its other half, what follows may be missed; a word between
two commas of such a text is taken for a variable.
 */
export function exportedNames(text) {
  const tokens = tokenize(text);
  const names = new Set();
  let depth = 0;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if ('{(['.includes(token)) depth++;
    else if ('})]'.includes(token)) depth--;
    else if (token === 'export' && depth === 0 && tokens[at - 1] !== '.') readExport(tokens, at + 1, names);
  }
  return names;
}

const MODIFIERS = new Set(['declare', 'abstract', 'async']);
const DECLARATIONS = new Set(['function', 'class', 'interface', 'type', 'enum', 'namespace', 'module', 'import']);
const VARIABLES = new Set(['const', 'let', 'var']);

function readExport(tokens, start, names) {
  let at = behindDecorators(tokens, start);
  if (tokens[at] === 'default') return names.add('default');
  if (tokens[at] === 'type' && '{*'.includes(tokens[at + 1])) at++;
  if (tokens[at] === '*') return tokens[at + 1] === 'as' && names.add(tokens[at + 2]);
  if (tokens[at] === '{') return entriesAt(tokens, at).forEach((entry) => names.add(entry.at(-1)));
  while (MODIFIERS.has(tokens[at])) at++;
  if (VARIABLES.has(tokens[at]) && tokens[at + 1] !== 'enum') return addVariables(tokens, at + 1, names);
  if (VARIABLES.has(tokens[at])) at++;
  if (!DECLARATIONS.has(tokens[at])) return undefined;
  return names.add(tokens[at + 1] === '*' ? tokens[at + 2] : tokens[at + 1]);
}

/** A decorator is a name with dots, or something in brackets; it may be called. */
function behindDecorators(tokens, start) {
  let at = start;
  while (tokens[at] === '@') {
    at = tokens[at + 1] === '(' ? closeOf(tokens, at + 1) + 1 : at + 2;
    while (tokens[at] === '.') at += 2;
    if (tokens[at] === '(') at = closeOf(tokens, at) + 1;
  }
  return at;
}

/** Where the bracket at a position is closed. */
function closeOf(tokens, start) {
  let depth = 0;
  for (let at = start; at < tokens.length; at++) {
    if ('{(['.includes(tokens[at])) depth++;
    else if ('})]'.includes(tokens[at]) && --depth === 0) return at;
  }
  return tokens.length;
}

/** All variables of a declaration: the first, and those behind commas that stand in no brackets. */
function addVariables(tokens, start, names) {
  addBound({ tokens, at: start }, names);
  for (let at = start; at < tokens.length; at++) {
    const token = tokens[at];
    if ('{(['.includes(token)) at = closeOf(tokens, at);
    else if (token === '<') at = closeOfTypes(tokens, at);
    else if (token === ',' && isVariable(tokens, at + 1)) addBound({ tokens, at: at + 1 }, names);
    else if (at > start && endsDeclaration(tokens, at)) return;
  }
}

/** Words behind a comma in the text of JSX have other words behind them. */
function isVariable(tokens, at) {
  if ('{['.includes(tokens[at])) return true;
  const next = tokens[at + 1];
  return next === undefined || '=:!,;'.includes(next) || endsDeclaration(tokens, at + 1);
}

/** Patterns nested deeper are passed over. */
const MAX_PATTERNS = 5;

/** A variable, or all that a pattern binds. */
function addBound({ tokens, at }, names, depth = 0) {
  const token = tokens[at];
  if (isWord(token)) names.add(token);
  if ((token !== '{' && token !== '[') || depth > MAX_PATTERNS) return;
  for (const entry of entriesAt(tokens, at)) {
    addBound({ tokens: entry, at: token === '{' ? behindKey(entry) : 0 }, names, depth + 1);
  }
}

function behindKey(entry) {
  const colon = entry[0] === '[' ? entry.indexOf(':') : 1;
  return entry[colon] === ':' ? colon + 1 : 0;
}

/** More than a list of types has: a comparison must not cost a scan of the whole file each time. */
const MAX_TYPE_TOKENS = 100;

/** Where the types or the tag in angle brackets end that begin at a position; the position itself if it is a comparison. */
function closeOfTypes(tokens, start) {
  const mayCompare = endsValue(tokens[start - 1]);
  let depth = 0;
  for (let at = start; at < Math.min(tokens.length, start + MAX_TYPE_TOKENS); at++) {
    const token = tokens[at];
    const isArrow = token === '>' && tokens[at - 1] === '=';
    if ('<{(['.includes(token)) depth++;
    else if ('>})]'.includes(token) && !isArrow && --depth === 0) return token === '>' ? at : start;
    else if (depth === 1 && mayCompare && (token === ';' || (token === '=' && tokens[at + 1] !== '>'))) return start;
  }
  return start;
}

const PREFIXES = new Set(
  'typeof new delete void await yield async function class keyof unique readonly infer asserts abstract'.split(' '),
);
const INFIXES = new Set('in of instanceof as satisfies is extends'.split(' '));

/** Line breaks are no tokens: what begins a value right behind one begins another statement. */
function endsDeclaration(tokens, at) {
  const token = tokens[at];
  if (';})]'.includes(token)) return true;
  if (token === 'export') return tokens[at - 1] !== '.';
  return isWord(token) && !INFIXES.has(token) && endsValue(tokens[at - 1]);
}

function endsValue(token) {
  if (isWord(token)) return !PREFIXES.has(token) && !INFIXES.has(token);
  return /^[)\]}"']/.test(token);
}

function isWord(token) {
  return /^[\p{L}\p{N}_$]/u.test(token ?? '');
}

/** What stands between the commas of the bracket at a position, without the dots of `...`. */
function entriesAt(tokens, start) {
  const entries = [];
  let entry = [];
  let depth = 0;
  for (let at = start; at < tokens.length; at++) {
    const token = tokens[at];
    if ('})]'.includes(token) && --depth === 0) break;
    if (depth === 1 && token === ',') {
      entries.push(entry);
      entry = [];
    } else if (depth > 1 || (depth === 1 && token !== '.')) entry.push(token);
    if ('{(['.includes(token)) depth++;
  }
  return [...entries, entry].filter((parts) => parts.length > 0);
}

const WORD = /[\p{L}\p{N}_$]+/uy;

/** Words and marks of a program. Comments are passed over; a string, template or regular expression is one token. */
function tokenize(text) {
  const tokens = [];
  // What each open brace belongs to: a block, or a hole of a template.
  const braces = [];
  const heads = createHeads();
  for (let at = 0; at < text.length;) {
    const end = skipIgnored(text, at, { tokens, isBehindHead: heads.isBehind(tokens) });
    if (end > at) {
      at = end;
      continue;
    }
    const endsHole = text[at] === '}' && braces.at(-1) === 'hole';
    if (text[at] === '}') braces.pop();
    if (endsHole) tokens.push('}');
    if (endsHole || text[at] === '`') {
      at = templateEnd(text, at + 1);
      const opensHole = text.startsWith('${', at - 2);
      if (opensHole) braces.push('hole');
      tokens.push(opensHole ? '{' : '""');
      continue;
    }
    if (text[at] === '{') braces.push('block');
    WORD.lastIndex = at;
    const token = WORD.exec(text)?.[0] ?? text[at];
    heads.see(token, tokens);
    tokens.push(token);
    at += token.length;
  }
  return tokens;
}

const HEADS = new Set(['if', 'while', 'for', 'with']);

/** Which round brackets are the head of a statement: behind them a slash begins a regular expression. */
function createHeads() {
  const open = [];
  let end = -1;
  return {
    see(token, tokens) {
      if (token === '(') open.push(HEADS.has(tokens.at(-1)) && tokens.at(-2) !== '.');
      else if (token === ')' && open.pop()) end = tokens.length + 1;
    },
    isBehind: (tokens) => tokens.length === end,
  };
}

/** The end of the white space, comment, string or regular expression at a position; the position itself if there is none. */
function skipIgnored(text, at, { tokens, isBehindHead }) {
  const char = text[at];
  if (/\s/.test(char)) return at + 1;
  if (char === '"' || char === "'") {
    const end = quotedEnd(text, at + 1, char);
    tokens.push(text.slice(at, end));
    return end;
  }
  if (char !== '/') return at;
  if (text[at + 1] === '/') return orEnd(text, text.indexOf('\n', at), 1);
  if (text[at + 1] === '*') return orEnd(text, text.indexOf('*/', at + 2), 2);
  if (!isBehindHead && !expectsValue(tokens.at(-1))) return at;
  tokens.push('//');
  return regexEnd(text, at + 1);
}

function orEnd(text, found, length) {
  return found === -1 ? text.length : found + length;
}

const BEFORE_VALUES = new Set(
  'return typeof case do else in of new delete void throw await yield instanceof'.split(' '),
);

/** Whether a slash after this token begins a regular expression rather than a division. */
function expectsValue(token) {
  if (token === undefined || BEFORE_VALUES.has(token)) return true;
  return /^[^\p{L}\p{N}_$)\]}"'/]/u.test(token);
}

function quotedEnd(text, start, quote) {
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote || text[at] === '\n') return at + 1;
  }
  return text.length;
}

/** Longer ones are none: a slash that was misread must not cost a scan of the whole line each time. */
const MAX_REGEX_CHARS = 5000;

function regexEnd(text, start) {
  const last = Math.min(text.length, start + MAX_REGEX_CHARS);
  let inClass = false;
  for (let at = start; at < last && text[at] !== '\n'; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '[') inClass = true;
    else if (text[at] === ']') inClass = false;
    else if (text[at] === '/' && !inClass) return at + 1;
  }
  // Not a regular expression after all.
  return start;
}

/** Behind the backtick that ends a template, or behind the brace that opens a hole in it. */
function templateEnd(text, start) {
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '`') return at + 1;
    else if (text[at] === '$' && text[at + 1] === '{') return at + 2;
  }
  return text.length;
}

/** The text of a file in the folder, or why there is none. A path that leads out of the folder is an error. */
function readText(folder, path) {
  if (path.includes('\0')) throw new Error('the path contains a NUL character');
  const root = realpathSync(folder);
  const wanted = resolve(root, path);
  refuseOutside(root, wanted, path);
  let descriptor;
  try {
    const file = realpathSync(wanted);
    refuseOutside(root, file, path);
    // Opened first and looked at then: nothing can be put in its place in between.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    return readOpen(descriptor);
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return { problem: 'it is no longer there' };
    if (typeof error.code === 'string') return { problem: `it can't be read (${error.code})` };
    throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function readOpen(descriptor) {
  const status = fstatSync(descriptor);
  if (status.isDirectory()) return { problem: "the folder can't be listed" };
  if (!status.isFile()) return { problem: 'it is not a regular file' };
  if (status.size > MAX_FILE_BYTES)
    return { problem: `it is too big (${status.size} bytes; at most ${MAX_FILE_BYTES})` };
  const bytes = readFileSync(descriptor);
  return bytes.includes(0) ? { problem: 'it is not text' } : { text: bytes.toString('utf8') };
}

function refuseOutside(root, target, path) {
  const way = relative(root, target);
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) throw new Error(`${path} is outside the folder`);
}
