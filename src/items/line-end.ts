/** Where the line ends that goes on here, before its line feed. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** Where the line after this one begins: the end of the text after the last. */
export function nextLine(text: string, at: number): number {
  return Math.min(lineEnd(text, at) + 1, text.length);
}
