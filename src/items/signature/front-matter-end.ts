/** Where `---` front matter in the first lines of a Markdown text ends, its closing line included; 0 without any. */
export function frontMatterEnd(text: string): number {
  const opening = /^\uFEFF?---[ \t]*\r?\n/.exec(text);
  if (opening === null) return 0;
  const closing = /^---[ \t]*(?:\r?\n|$)/gm;
  closing.lastIndex = opening[0].length;
  const end = closing.exec(text);
  return end === null ? 0 : end.index + end[0].length;
}
