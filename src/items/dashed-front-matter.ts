/** Offsets in a text: the YAML between the lines, and the end of the closing line, its line end not included. */
export type DashedFrontMatter = { readonly start: number; readonly end: number; readonly after: number };

/** The line in front of it: `---`, and maybe a YAML comment. */
const OPENING = /^---(?:[ \t]+#[^\r\n]*|[ \t]*)\r?\n/;
/** The line behind it. Lines end with `\n` alone, which `^` and `$` of a pattern with `m` do not say. */
const CLOSING = /(?<![^\n])---[ \t]*\r?(?![^\n])/g;

/** Whether a text begins as front matter between `---` lines does, whatever comes of it. */
export function opensFrontMatter(text: string): boolean {
  return OPENING.test(text.trimStart());
}

/** Front matter between `---` lines at the beginning of a text; what is blank before it does not count. */
export function findDashedFrontMatter(text: string): DashedFrontMatter | undefined {
  const first = text.length - text.trimStart().length;
  const opening = OPENING.exec(text.slice(first));
  if (opening === null) return undefined;
  const start = first + opening[0].length;
  CLOSING.lastIndex = start;
  const closing = CLOSING.exec(text);
  return closing === null ? undefined : { start, end: closing.index, after: closing.index + closing[0].length };
}

/** Where the text below such front matter begins; 0 without any. */
export function frontMatterEnd(text: string): number {
  const found = findDashedFrontMatter(text);
  return found === undefined ? 0 : Math.min(found.after + 1, text.length);
}
