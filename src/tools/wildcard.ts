/**
 * Whether `*` in a pattern (any run, separators included) makes it match the whole text. Linear in practice and never
 * worse than the product of both lengths.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  let at = 0;
  let star = -1;
  let retry = 0;
  for (let read = 0; read < text.length;) {
    if (pattern[at] === '*') {
      star = at++;
      retry = read;
    } else if (at < pattern.length && pattern[at] === text[read]) {
      at += 1;
      read += 1;
    } else if (star >= 0) {
      at = star + 1;
      read = ++retry;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(at));
}
