import { type Document, isAlias, parseDocument, visit, YAMLMap } from 'yaml';
import { findCodeFences } from './code-fences.ts';
import { isJsonObject } from './safe-json.ts';

/** Front matter and the text after it, or what is wrong with the front matter and on which line of the text. */
export type FrontMatter =
  | { readonly ok: true; readonly data: Readonly<Record<string, unknown>>; readonly content: string }
  | { readonly ok: false; readonly reason: string; readonly line: number };

/** Far more than a person writes, and little enough for the YAML parser's slow paths. */
const MAX_BYTES = 8 * 1024;

/** Keys of which a leading ```` ```yaml ```` block needs one to be front matter and not an example. */
const TELLING_KEYS = ['name', 'title', 'entry_type', 'category', 'version', 'description'];

/**
 * Splits off front matter: a leading ```` ```yaml ```` block (S0) or a block between `---` lines. Text without either
 * is all content. YAML is read strictly: no aliases, tags, merges or repeated keys.
 */
export function readFrontMatter(text: string): FrontMatter {
  const block = findBlock(text);
  if (block === undefined) return { ok: true, data: {}, content: text };
  const data = readMapping(text.slice(block.start, block.end), block.line);
  if (!block.certain && !(data.ok && TELLING_KEYS.some((key) => Object.hasOwn(data.data, key)))) {
    return { ok: true, data: {}, content: text };
  }
  return data.ok ? { ok: true, data: data.data, content: text.slice(block.after) } : data;
}

/** Offsets of the YAML text, of what follows the block, and the line of the first. */
type Block = {
  readonly start: number;
  readonly end: number;
  readonly after: number;
  readonly line: number;
  readonly certain: boolean;
};

function findBlock(text: string): Block | undefined {
  const first = text.search(/\S/);
  if (first === -1) return undefined;
  const line = text.slice(0, first).split('\n').length;
  return text.startsWith('---', first) ? dashedBlock(text, first, line) : fencedBlock(text, first);
}

function dashedBlock(text: string, first: number, line: number): Block | undefined {
  const opening = /---[ \t]*\r?\n/y;
  opening.lastIndex = first;
  const start = first + (opening.exec(text)?.[0].length ?? 0);
  if (start === first) return undefined;
  const closing = /^---[ \t]*\r?$/gm;
  closing.lastIndex = start;
  const end = closing.exec(text);
  if (end === null) return undefined;
  return { start, end: end.index, after: end.index + end[0].length, line: line + 1, certain: true };
}

function fencedBlock(text: string, first: number): Block | undefined {
  const [fence] = findCodeFences(text);
  if (fence === undefined || fence.start > first || (fence.language !== 'yaml' && fence.language !== 'yml')) {
    return undefined;
  }
  const { contentStart, contentEnd, end, contentLine } = fence;
  return { start: contentStart, end: contentEnd, after: end, line: contentLine, certain: false };
}

type Mapping =
  | { readonly ok: true; readonly data: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly reason: string; readonly line: number };

function readMapping(yaml: string, firstLine: number): Mapping {
  const fault = (reason: string, offset = 0): Mapping => ({
    ok: false,
    reason,
    line: firstLine + yaml.slice(0, offset).split('\n').length - 1,
  });
  if (Buffer.byteLength(yaml) > MAX_BYTES) return fault(`it is longer than ${MAX_BYTES} bytes`);
  try {
    const document = parseStrictly(yaml);
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) return fault(problem.message, problem.pos[0]);
    const refused = findRefused(document);
    if (refused !== undefined) return fault(refused);
    const data: unknown = document.toJS({ maxAliasCount: 0 });
    if (data === null) return { ok: true, data: {} };
    return isJsonObject(data) ? { ok: true, data } : fault('it is no mapping of names to values');
  } catch (error) {
    return fault(error instanceof Error ? error.message : String(error));
  }
}

function parseStrictly(yaml: string): Document.Parsed {
  return parseDocument(yaml, {
    schema: 'core',
    version: '1.2',
    stringKeys: true,
    merge: false,
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
    strict: true,
    logLevel: 'error',
  });
}

/** What is valid YAML but not accepted. Repeated keys are looked for here, as the parser's own check is quadratic. */
function findRefused(document: Document.Parsed): string | undefined {
  let refused: string | undefined;
  visit(document, (_, node) => {
    if (isAlias(node)) refused = 'aliases are not accepted';
    else if (node instanceof YAMLMap) refused = repeatedKey(node);
    else if (typeof node === 'object' && node !== null && 'anchor' in node && node.anchor !== undefined) {
      refused = 'anchors are not accepted';
    }
    return refused === undefined ? undefined : visit.BREAK;
  });
  return refused;
}

function repeatedKey(map: YAMLMap): string | undefined {
  const seen = new Set<string>();
  for (const { key } of map.items) {
    const name = String(key);
    if (name === '__proto__') return 'a key can\'t be "__proto__"';
    if (seen.has(name)) return `the key ${JSON.stringify(name)} is used twice`;
    seen.add(name);
  }
  return undefined;
}
