import type { Action, PrimaryAction } from '../core/item.ts';
import { buildAction, isPrimaryAction } from './action.ts';
import { type CodeFence, findCodeFences } from './code-fences.ts';
import { isDirectiveFence } from './directive-source.ts';
import { createLineCounter } from './line-counter.ts';
import { createFinder, decodeLoosely, type Finder, readLooseTag } from './loose-tag.ts';
import { type Reading, warn } from './reading.ts';
import { bringsContext } from './xml-actions.ts';

/**
 * Finds the actions in a body, which may be any text (contracts, "Actions"): tags of the primary actions with readable
 * attributes, their `<param>` children, in document order. Not looked at: comments, character data, `<metadata>`,
 * quoted code (`` `<execute …>` ``) and code blocks, unless they are ```` ```xml ```` and not a whole directive.
 * Linear in the length of the text; never throws.
 */
export function readBodyActions(body: string, lineInFile: (line: number) => number, reading: Reading): Action[] {
  if (!body.includes('<')) return [];
  const lineInBody = createLineCounter(body);
  const scan: Scan = {
    text: body,
    find: createFinder(body),
    lineAt: (offset) => lineInFile(lineInBody(offset)),
    reading,
    found: [],
    open: [],
    waiting: new Map(),
  };
  const skipped = findCodeFences(body).filter((fence) => fence.language !== 'xml' || isDirectiveFence(body, fence));
  walk(scan, skipped);
  return scan.found.flatMap((frame) => finish(frame, scan) ?? []);
}

/** Actions read from one body; more are a mistake or an attack. */
const MAX_ACTIONS = 10_000;

/** An action tag that was met; `closed` once its end is known. */
type Frame = {
  readonly primary: PrimaryAction;
  readonly attributes: ReadonlyMap<string, string>;
  readonly params: [string, string][];
  readonly line: number;
  closed: boolean;
};

type Scan = {
  readonly text: string;
  readonly find: Finder;
  readonly lineAt: (offset: number) => number;
  readonly reading: Reading;
  readonly found: Frame[];
  /** Tags waiting for their end, innermost last. */
  readonly open: Frame[];
  /** How many of each name are in `open`, so that a stray end tag costs nothing. */
  readonly waiting: Map<PrimaryAction, number>;
};

function walk(scan: Scan, skipped: readonly CodeFence[]): void {
  let passed = 0;
  for (let at = scan.text.indexOf('<'); at !== -1; at = scan.text.indexOf('<', at)) {
    while ((skipped[passed]?.end ?? Number.POSITIVE_INFINITY) <= at) passed++;
    const block = skipped[passed];
    at = block !== undefined && block.start <= at ? block.end : readMarkup(scan, at);
    if (scan.found.length < MAX_ACTIONS) continue;
    warn(scan.reading, scan.lineAt(at), `the body is not searched beyond its first ${MAX_ACTIONS} actions`);
    return;
  }
}

/** Handles whatever the `<` at an offset begins and returns the offset to go on from. */
function readMarkup(scan: Scan, at: number): number {
  const { text } = scan;
  if (text.startsWith('<!--', at)) return skipPast(scan, '-->', at + 4);
  if (text.startsWith('<![CDATA[', at)) return skipPast(scan, ']]>', at + 9);
  if (text[at - 1] === '`') return at + 1;
  const tag = /<(\/?)(execute|search|load|sign|fetch|param|metadata)(?=[\s/>])/y;
  tag.lastIndex = at;
  const [opening = '', slash, name = ''] = tag.exec(text) ?? [];
  if (opening === '') return at + 1;
  const end = at + opening.length;
  if (slash === '/') {
    if (isPrimaryAction(name)) close(scan, name);
    return end;
  }
  if (name === 'metadata') return skipPast(scan, '</metadata', end);
  return isPrimaryAction(name) ? open(scan, name, { start: at, end }) : readParam(scan, { start: at, end });
}

function skipPast(scan: Scan, closing: string, from: number): number {
  const end = scan.find(closing, from);
  return end === -1 ? from : end + closing.length;
}

type Span = { readonly start: number; readonly end: number };

function open(scan: Scan, primary: PrimaryAction, { start, end }: Span): number {
  const tag = readLooseTag(scan.text, end, scan.find);
  if (!tag.ok) {
    if (tag.sawAttribute) warn(scan.reading, scan.lineAt(start), `<${primary}> in the body can't be read as a tag`);
    return tag.stoppedAt;
  }
  const { attributes, selfClosing } = tag;
  const frame = { primary, attributes, params: [], line: scan.lineAt(start), closed: selfClosing };
  scan.found.push(frame);
  if (!selfClosing) {
    scan.open.push(frame);
    scan.waiting.set(primary, (scan.waiting.get(primary) ?? 0) + 1);
  }
  return tag.end;
}

/** Ends the innermost open tag of that name; those inside it that were never ended stay as they are. */
function close({ open, waiting }: Scan, primary: PrimaryAction): void {
  if ((waiting.get(primary) ?? 0) === 0) return;
  for (let frame = open.pop(); frame !== undefined; frame = open.pop()) {
    waiting.set(frame.primary, (waiting.get(frame.primary) ?? 0) - 1);
    if (frame.primary !== primary) continue;
    frame.closed = true;
    return;
  }
}

function readParam(scan: Scan, { start, end }: Span): number {
  const tag = readLooseTag(scan.text, end, scan.find);
  if (!tag.ok) return tag.stoppedAt;
  const params = scan.open.at(-1)?.params;
  const name = tag.attributes.get('name') ?? '';
  const value = tag.attributes.get('value');
  if (tag.selfClosing) {
    params?.push([name, value ?? '']);
    return tag.end;
  }
  const closing = scan.find('</param', tag.end);
  if (closing === -1) {
    if (params !== undefined) warn(scan.reading, scan.lineAt(start), '<param> in the body has no end and is ignored');
    return tag.end;
  }
  params?.push([name, value ?? decodeLoosely(scan.text.slice(tag.end, closing)).trim()]);
  return closing;
}

/** A bare `<load>` that is never ended is a word of the prose, not an action. */
function finish({ closed, ...frame }: Frame, { reading }: Scan): Action | undefined {
  if (frame.attributes.size === 0 && frame.params.length === 0) {
    warn(reading, frame.line, `<${frame.primary}> in the body has neither attributes nor params and is no action`);
    return undefined;
  }
  if (!closed) warn(reading, frame.line, `<${frame.primary}> in the body is never ended`);
  if (bringsContext([...frame.attributes, ...frame.params])) {
    warn(reading, frame.line, `<${frame.primary}> in the body has "_thread_context", with which every call is refused`);
  }
  return buildAction(frame, reading);
}
