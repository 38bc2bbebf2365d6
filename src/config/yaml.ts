import { lstatSync, realpathSync, statSync, type Stats } from 'node:fs';
import { createRequire } from 'node:module';
import type * as YamlPackage from 'yaml';
import type { LineCounter, Node, ParsedNode } from 'yaml';
import { isAbsent } from '../core/code-of.ts';
import { SkeinError, messageOf, type SkeinErrorCode } from '../core/errors.ts';
import { isInside } from '../core/path-inside.ts';
import { readRegularFile } from '../core/regular-file.ts';
import { visibleText } from '../core/visible-text.ts';

type Yaml = typeof YamlPackage;

const require = createRequire(import.meta.url);

/** Largest YAML text read, in bytes. */
export const MAX_YAML_BYTES = 256 * 1024;

/** Deepest nesting of maps and lists. */
const MAX_DEPTH = 64;

/** Words, marks, spaces and line ends: some 4,000 settings, read in a tenth of a second. */
const MAX_TOKENS = 30_000;

/** Where a text comes from, for messages; `code` defaults to `invalid_config`. */
export type YamlSource = { readonly file: string; readonly code?: SkeinErrorCode };

/**
 * Parses one YAML 1.2 document into plain data: core schema, string keys, no aliases, tags, merge keys or duplicate
 * keys, finite numbers only, at most 256 KiB, 64 levels and 30,000 tokens. An empty document is `null`.
 *
 * @throws SkeinError with the source's code, file, line and column for anything else, warnings included.
 */
export function parseYaml(text: string, source: YamlSource): unknown {
  if (Buffer.byteLength(text) > MAX_YAML_BYTES) {
    throw refusal(source, `file is larger than ${MAX_YAML_BYTES / 1024} KiB`);
  }
  // Loaded for the first text: most starts have none, since what ships is parsed.
  const yaml = require('yaml') as Yaml;
  checkTokens(text, source, yaml);
  const lines = new yaml.LineCounter();
  const document = withoutStackTraces(() =>
    yaml.parseDocument(text, {
      schema: 'core',
      version: '1.2',
      stringKeys: true,
      merge: false,
      resolveKnownTags: false,
      uniqueKeys: false,
      prettyErrors: false,
      // Not "silent", which would also hide that there are several documents.
      logLevel: 'error',
      lineCounter: lines,
    }),
  );
  const reader: Reader = { source, lines, yaml };
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw refusalAt(reader, problem.pos[0], `not valid YAML: ${problem.message.slice(0, 200)}`);
  return document.contents === null ? null : toPlain(document.contents, reader, 0);
}

/** The parser takes 3 µs for a token, and more for each open bracket: it is not given too many of either. */
function checkTokens(text: string, source: YamlSource, { Lexer }: Pick<Yaml, 'Lexer'>): void {
  if (isSmall(text)) return;
  let count = 0;
  let open = 0;
  for (const token of new Lexer().lex(text)) {
    if (++count > MAX_TOKENS) throw refusal(source, `more than ${MAX_TOKENS} words and marks`);
    if (token === '[' || token === '{') open++;
    else if (token === ']' || token === '}') open--;
    if (open > MAX_DEPTH) throw refusal(source, `nested deeper than ${MAX_DEPTH} levels`);
  }
}

/** Whether it stays below both bounds whatever it says: no character makes more than two tokens. Nothing is read twice then. */
function isSmall(text: string): boolean {
  return 2 * (text.length + 1) <= MAX_TOKENS && (text.match(/[[{]/g)?.length ?? 0) <= MAX_DEPTH;
}

/** The parser makes an error of every fault it finds, perhaps 100,000; their stack traces would take a second. */
function withoutStackTraces<Value>(run: () => Value): Value {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return run();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/**
 * Reads a YAML file whose top level is a map; an empty file is an empty map, an absent one `undefined`.
 *
 * @throws SkeinError `invalid_config` for a file that can't be read, is not UTF-8, or is not such a map, and for a link that
 *   leads nowhere: somebody means it to count
 */
export function readYamlFile(file: string): Readonly<Record<string, unknown>> | undefined {
  const text = readText(file);
  if (text === undefined && entryAt(file)?.isSymbolicLink()) throw refusal({ file }, 'a link that leads nowhere');
  if (text === undefined) return undefined;
  const value = parseYaml(text, { file }) ?? {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw refusal({ file }, 'the top level must be a map of settings');
  }
  // A plain map built by `toPlain`, all keys its own.
  return value as Readonly<Record<string, unknown>>;
}

/**
 * A text file as it is; `undefined` if there is none.
 *
 * @param space a folder that no link may lead out of
 * @throws SkeinError `invalid_config` as {@link readYamlFile} does
 */
export function readText(file: string, space?: string): string | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    if (space !== undefined && !isInside(realpathSync.native(file), realpathSync.native(space)))
      throw refusal({ file }, `a link that leads out of ${space}`);
    const found = readRegularFile(file, { maxBytes: MAX_YAML_BYTES });
    if (found.kind === 'too_large') throw refusal({ file }, `file is larger than ${MAX_YAML_BYTES / 1024} KiB`);
    if (found.kind !== 'regular') throw refusal({ file }, 'not a regular file');
    return new TextDecoder('utf-8', { fatal: true }).decode(found.bytes);
  } catch (cause) {
    if (cause instanceof SkeinError) throw cause;
    if (isAbsent(cause)) return undefined;
    throw unreadable(file, 'read the file as UTF-8 text', cause);
  }
}

/** What stands at a path, a link as itself; undefined if nothing does. @throws SkeinError `invalid_config` if nobody can tell */
export function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    if (isAbsent(cause)) return undefined;
    throw unreadable(path, 'look at it', cause);
  }
}

function unreadable(file: string, what: string, cause: unknown): SkeinError {
  return new SkeinError('invalid_config', `cannot ${what}: ${messageOf(cause)}`, { where: { file }, cause });
}

type Reader = { readonly source: YamlSource; readonly lines: LineCounter; readonly yaml: Yaml };

function toPlain(node: ParsedNode | null, reader: Reader, depth: number): unknown {
  if (node === null) return null;
  const { isAlias, isMap, isScalar, isSeq } = reader.yaml;
  const start = node.range[0];
  if (isAlias(node)) throw refusalAt(reader, start, 'aliases (*name) are not allowed');
  refuseDecorated(node, reader, start);
  if (isScalar(node)) return toScalar(node.value, reader, start);
  if (depth >= MAX_DEPTH) throw refusalAt(reader, start, `nested deeper than ${MAX_DEPTH} levels`);
  if (isSeq(node)) return node.items.map((item) => toPlain(item, reader, depth + 1));
  if (!isMap(node)) throw refusalAt(reader, start, 'not a value');
  const map: Record<string, unknown> = {};
  for (const { key, value } of node.items) {
    const name = toKey(key, reader, map);
    map[name] = toPlain(value, reader, depth + 1);
  }
  return map;
}

function toKey(key: ParsedNode, reader: Reader, map: object): string {
  const start = key.range[0];
  refuseDecorated(key, reader, start);
  // With stringKeys every key is a scalar with a text value.
  const name = reader.yaml.isScalar(key) ? String(key.value) : '';
  if (name === '__proto__') throw refusalAt(reader, start, 'the key __proto__ is not allowed');
  if (name === '<<') throw refusalAt(reader, start, 'merge keys (<<) are not allowed');
  if (Object.hasOwn(map, name)) throw refusalAt(reader, start, `the key "${name}" appears twice`);
  return name;
}

function refuseDecorated(node: Node, reader: Reader, start: number): void {
  if (node.tag !== undefined) throw refusalAt(reader, start, 'tags (!name) are not allowed');
}

function toScalar(value: unknown, reader: Reader, start: number): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw refusalAt(reader, start, 'numbers must be finite');
  }
  return value;
}

function refusalAt({ source, lines }: Reader, offset: number, message: string): SkeinError {
  const { line, col } = lines.linePos(offset);
  return new SkeinError(source.code ?? 'invalid_config', visibleText(message), {
    where: { file: source.file, line, column: col },
  });
}

function refusal({ file, code }: YamlSource, message: string): SkeinError {
  return new SkeinError(code ?? 'invalid_config', message, { where: { file } });
}
