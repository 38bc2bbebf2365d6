import { decodeReferences } from './html-entities.ts';

/** Elements whose content nobody reads. */
const HIDDEN = new Set(['script', 'style', 'template', 'svg', 'noscript', 'iframe', 'object']);
/** Those of them that hold no markup: where one is never closed, what follows is its code. */
const CODE = new Set(['script', 'style']);
/** Elements that begin and end a line. */
const BLOCKS = new Set(
  (
    'address article aside blockquote body br dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 ' +
    'h5 h6 header hr li main nav ol option p pre section summary table tbody tfoot thead title tr ul'
  ).split(' '),
);
const CELLS = new Set(['td', 'th']);

/** Text as it is written: spaces are folded, except where they are meant. */
type Page = {
  readonly parts: string[];
  atLineStart: boolean;
  pre: number;
  readonly links: string[];
  readonly isXml: boolean;
  /** Names of elements that nothing closes from here on. */
  readonly open: Set<string>;
};

/** How a page is written. */
export type PageForm = {
  /** As XML: `<script />` ends where it stands. In HTML that is so within `<svg>` alone. */
  readonly isXml?: boolean;
};

/**
 * HTML as text for a reader without a browser: tags, comments, scripts and styles left out, a line for each block, the
 * target after each link. In one pass, linear in the length; broken HTML gives what can be made of it.
 */
export function htmlToText(html: string, { isXml = false }: PageForm = {}): string {
  const page: Page = { parts: [], atLineStart: true, pre: 0, links: [], isXml, open: new Set() };
  // Any other `<` is text.
  const markup = /<(?:[!?]|\/?([a-z][a-z\d]{0,30}))/gi;
  for (let at = 0; at < html.length;) {
    markup.lastIndex = at;
    const found = markup.exec(html);
    if (found?.index !== at) write(page, decodeReferences(html.slice(at, found?.index)));
    at = found === null ? html.length : readMarkup(page, html, found);
  }
  return tidy(page.parts.join(''));
}

/** The title of a page, on one line; undefined if its beginning has none. */
export function htmlTitle(html: string): string | undefined {
  const [, written = ''] = /<title(?:\s[^<>]*)?>([^<]*)</i.exec(html.slice(0, HEAD)) ?? [];
  const title = decodeReferences(written).replaceAll(/\s+/g, ' ').trim();
  return title === '' ? undefined : title.slice(0, LONGEST_TITLE).toWellFormed();
}

/** Characters at whose beginning a title stands, and characters of a title. */
const HEAD = 65_536;
const LONGEST_TITLE = 200;

/** Reads a tag, comment or declaration and returns where it ends. */
function readMarkup(page: Page, html: string, { index: open, 1: written }: RegExpExecArray): number {
  if (html.startsWith('<!--', open)) return after(html, '-->', open + 4);
  if (written === undefined) return after(html, '>', open + 1);
  const name = written.toLowerCase();
  const end = tagEnd(html, open);
  const isClosing = html[open + 1] === '/';
  if (HIDDEN.has(name) && !isClosing) return afterHidden(page, html, { name, end });
  readTag(page, { name, isClosing, text: html.slice(open, end) });
  return end;
}

type Tag = { readonly name: string; readonly isClosing: boolean; readonly text: string };

function readTag(page: Page, { name, isClosing, text }: Tag): void {
  if (BLOCKS.has(name)) breakLine(page);
  if (CELLS.has(name) && !isClosing) write(page, ' ');
  if (name === 'li' && !isClosing) write(page, '- ');
  if (name === 'pre') page.pre = Math.max(0, page.pre + (isClosing ? -1 : 1));
  if (name !== 'a') return;
  if (!isClosing) page.links.push(targetOf(text));
  else {
    const target = page.links.pop() ?? '';
    if (target !== '') write(page, ` (${target})`);
  }
}

/** Where a link leads; nothing for a place in the same page and for what is no address. */
function targetOf(tag: string): string {
  const [, double, single, bare] = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/i.exec(tag) ?? [];
  const target = decodeReferences(double ?? single ?? bare ?? '').trim();
  return /^(?:#|javascript:|data:)/i.test(target) ? '' : target;
}

function write(page: Page, text: string): void {
  const folded = page.pre > 0 ? text : text.replaceAll(/\s+/g, ' ');
  const fitting = page.atLineStart && page.pre === 0 ? folded.trimStart() : folded;
  if (fitting === '') return;
  page.parts.push(fitting);
  page.atLineStart = false;
}

function breakLine(page: Page): void {
  page.parts.push('\n');
  page.atLineStart = true;
}

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found === -1 ? html.length : found + mark.length;
}

/** Where to go on behind the tag that opens such an element; one that is never closed hides no more than it must. */
function afterHidden(page: Page, html: string, { name, end }: { readonly name: string; readonly end: number }): number {
  const endsItself = html.startsWith('/>', end - 2);
  if (endsItself && (page.isXml || name === 'svg')) return end;
  const close = page.open.has(name) ? -1 : closingTag(html, name, end);
  if (close !== -1) return tagEnd(html, close);
  page.open.add(name);
  return CODE.has(name) && !endsItself ? html.length : end;
}

function closingTag(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}`, 'gi');
  closing.lastIndex = from;
  return closing.exec(html)?.index ?? -1;
}

/** The end of a tag: a `>` that stands in no quoted value. */
function tagEnd(html: string, open: number): number {
  const first = after(html, '>', open);
  if (!html.slice(open, first).includes('=')) return first;
  const mark = /[>=]/g;
  const quote = /\s*(["'])/y;
  for (mark.lastIndex = open; ;) {
    const found = mark.exec(html);
    if (found === null) return html.length;
    if (found[0] === '>') return found.index + 1;
    quote.lastIndex = mark.lastIndex;
    const sign = quote.exec(html)?.[1];
    if (sign !== undefined) mark.lastIndex = after(html, sign, quote.lastIndex);
  }
}

/** No spaces at the end of lines, and at most one empty line in a row. */
function tidy(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  return lines
    .filter((line, at) => line !== '' || lines[at - 1] !== '')
    .join('\n')
    .trim();
}
