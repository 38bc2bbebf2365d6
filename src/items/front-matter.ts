import { MAX_YAML_BYTES, parseYaml } from '../config/yaml.ts';
import { SkeinError, toFailure } from '../core/errors.ts';
import { isRecord } from '../core/record.ts';
import { findCodeFences } from './code-fences.ts';
import { findDashedFrontMatter } from './dashed-front-matter.ts';
import { readPlainMapping } from './plain-mapping.ts';

/** Front matter and the text after it, or what is wrong with the front matter and on which line of the text. */
export type FrontMatter =
  | { readonly ok: true; readonly data: Readonly<Record<string, unknown>>; readonly content: string }
  | { readonly ok: false; readonly reason: string; readonly line: number };

/**
 * Splits off front matter: a leading ```` ```yaml ```` block (S0) or a block between `---` lines. Text without either
 * is all content, and so is text with a YAML block that has none of the known keys: an example. YAML is read as strictly
 * as configuration.
 *
 * @throws SkeinError `item_too_large` for front matter beyond 256 KiB
 */
export function readFrontMatter(text: string, known: ReadonlySet<string>, file: string): FrontMatter {
  const block = findBlock(text);
  if (block === undefined) return { ok: true, data: {}, content: text };
  const yaml = text.slice(block.start, block.end);
  if (!block.certain && !hasKnownKey(yaml, known)) return { ok: true, data: {}, content: text };
  checkSize(yaml, file);
  const mapping = readMapping(yaml, block.line);
  return mapping.ok ? { ok: true, data: mapping.data, content: text.slice(block.after) } : mapping;
}

/** Broken YAML has keys too: it is then refused, not taken for an example. */
function hasKnownKey(yaml: string, known: ReadonlySet<string>): boolean {
  return yaml.split('\n', 1000).some((line) => known.has(/^["']?([\w-]{1,100})["']?[ \t]*:/.exec(line)?.[1] ?? ''));
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
  if (!text.startsWith('---', first)) return fencedBlock(text, first);
  const dashed = findDashedFrontMatter(text);
  return dashed && { ...dashed, line: text.slice(0, dashed.start).split('\n').length, certain: true };
}

function fencedBlock(text: string, first: number): Block | undefined {
  const [fence] = findCodeFences(text);
  if (fence === undefined || fence.start > first || (fence.language !== 'yaml' && fence.language !== 'yml')) {
    return undefined;
  }
  const { contentStart, contentEnd, end, contentLine } = fence;
  return { start: contentStart, end: contentEnd, after: end, line: contentLine, certain: false };
}

function checkSize(yaml: string, file: string): void {
  const bytes = Buffer.byteLength(yaml);
  if (bytes <= MAX_YAML_BYTES) return;
  const message = `The front matter has ${bytes} bytes; ${MAX_YAML_BYTES} are accepted`;
  throw new SkeinError('item_too_large', message, { where: { file } });
}

type Mapping =
  | { readonly ok: true; readonly data: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly reason: string; readonly line: number };

function readMapping(yaml: string, firstLine: number): Mapping {
  const plain = readPlainMapping(yaml);
  if (plain) return { ok: true, data: plain };
  const fault = (reason: string, line = 1): Mapping => ({ ok: false, reason, line: firstLine + line - 1 });
  try {
    const data = parseYaml(yaml, { file: 'front matter' }) ?? {};
    return isRecord(data) ? { ok: true, data } : fault('it is no mapping of names to values');
  } catch (error) {
    const { message, where } = toFailure(error);
    return fault(message, where?.line);
  }
}
