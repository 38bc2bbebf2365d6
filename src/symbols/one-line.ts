// oxlint-disable-next-line no-control-regex -- control characters have no place in a prompt
const BLANKS = /[\s\u0000-\u001f\u007f-\u009f]+/g;

/** A piece of a source as a part of one line of a block: a line break in it would begin a line of the prompt. */
export function oneLine(text: string): string {
  return text.replace(BLANKS, ' ').trim();
}
