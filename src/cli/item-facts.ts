import { cutText } from '../core/cut-text.ts';
import { describeFailure, type Failure } from '../core/errors.ts';
import type { ChainView } from './item-chain.ts';
import { directiveFacts } from './item-directive-facts.ts';
import { toolFacts } from './item-tool-facts.ts';
import { type ItemView, refusalOf } from './item-view.ts';
import { printable, printableJson, printableText } from './printable.ts';

/** One thing about an item, over one or several lines; not yet printable. */
export type Fact = readonly [label: string, ...lines: readonly string[]];

/** What `skein item show` prints of an item; every line is harmless on a terminal. */
export function describeItem(view: ItemView, chain: ChainView | Failure | undefined): string {
  const { kind, id, space, isOutside } = view;
  const place = isOutside ? 'outside of the spaces, read as if it were in the project' : `in the ${space} space`;
  const facts = [...standingFacts(view), ...contentFacts(view, chain)].filter(([, ...lines]) => lines.length > 0);
  const width = Math.max(...facts.map(([label]) => label.length));
  const lines = facts.flatMap(([label, ...values]) =>
    values.map((value, index) => `  ${(index === 0 ? label : '').padEnd(width)}  ${value}`),
  );
  const head = [`${kind} ${id}, ${place}`, ...lines].map((line) => `${printable(cut(line)).trimEnd()}\n`);
  return `${head.join('')}${bodyOf(view)}`;
}

/** Characters of a line that are shown. */
const MAX_LINE_CHARS = 2_000;

function cut(line: string): string {
  return line.length <= MAX_LINE_CHARS ? line : `${cutText(line, MAX_LINE_CHARS)} (${line.length} characters)`;
}

function standingFacts(view: ItemView): readonly Fact[] {
  const { file, signature, shadows, shadowedBy, warnings } = view;
  const refusal = refusalOf(view);
  return [
    ['file', file],
    ['signature', describeSignature(signature)],
    ['shadows', ...shadows.map((space) => `the one of the ${space} space`)],
    ['shadowed', ...(shadowedBy === undefined ? [] : [`the one of the ${shadowedBy} space is taken instead`])],
    ['refused', ...(refusal === undefined ? [] : [describeFailure(refusal)])],
    ['warnings', ...warnings],
  ];
}

function describeSignature(signature: ItemView['signature']): string {
  switch (signature.state) {
    case 'trusted':
      return `trusted, key ${signature.key}, ${signature.signedAt}`;
    case 'unknown_key':
      return `by a key that is not trusted, ${signature.key}, ${signature.signedAt}`;
    case 'wrong':
      return `WRONG: ${signature.reason}${signature.line === undefined ? '' : ` (line ${signature.line})`}`;
    case 'unsigned':
      return 'none';
    case 'unreadable':
      return 'unknown: the file could not be read';
  }
}

function contentFacts({ content }: ItemView, chain: ChainView | Failure | undefined): readonly Fact[] {
  if ('refusal' in content) return [];
  const { parsed } = content;
  const { name, title, version, category, tags, description } = parsed;
  const common: readonly Fact[] = [
    ['name', name],
    ['title', ...(title === name ? [] : [title])],
    ['version', ...given(version)],
    ['category', ...given(category)],
    ['tags', ...given(tags.join(', '))],
    ['description', ...given(description.replaceAll(/\s+/g, ' '))],
  ];
  switch (parsed.kind) {
    case 'directive':
      return [...common, ...directiveFacts(parsed.value), otherFields(parsed.fields)];
    case 'tool':
      return [...common, ...toolFacts(parsed.value, { chain, declared: parsed.declared }), otherFields(parsed.fields)];
    case 'knowledge':
      return [...common, otherFields(parsed.fields)];
  }
}

/** Fields of the extractor that stand elsewhere, under their own or another name. */
const SHOWN: ReadonlySet<string> = new Set(
  (
    'name title version category tags description extends model limits permissions context hooks inputs outputs ' +
    'tool_type executor_id idempotent timeout_seconds config_schema'
  ).split(' '),
);

function otherFields(fields: Readonly<Record<string, unknown>>): Fact {
  const others = Object.entries(fields).filter(([id]) => !SHOWN.has(id));
  return [
    'fields',
    ...others.map(([id, value]) => `${id}: ${typeof value === 'string' ? value : printableJson(value)}`),
  ];
}

/** Lines of a body that are shown; `--json` has all. */
const MAX_BODY_LINES = 40;

/** What the model gets to read; for a tool that is nothing of its file. */
function bodyOf({ content }: ItemView): string {
  if ('refusal' in content || content.parsed.kind === 'tool') return '';
  const { kind, value } = content.parsed;
  const body = kind === 'directive' ? value.body.trim() : value.content;
  if (body === '') return `\n(no ${kind === 'directive' ? 'body' : 'text'})\n`;
  const lines = body.split('\n');
  const more = lines.length - MAX_BODY_LINES;
  const shown = lines.slice(0, MAX_BODY_LINES).map((line) => `${printableText(cut(line.replace(/\r$/, '')))}\n`);
  return `\n${shown.join('')}${more > 0 ? `… ${more} more lines (--json has all)\n` : ''}`;
}

/** No line for an empty text. */
function given(text: string): readonly string[] {
  return text === '' ? [] : [text];
}
