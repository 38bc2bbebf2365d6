/**
 * Compiles a pattern in which `*` stands for any run of characters, separators and line breaks included; without a `*`
 * the text must be equal. Matching goes through the text once, whatever the pattern is: each part between two stars is
 * looked for behind the one before, and is never looked for again.
 */
export function compileWildcard(pattern: string): (text: string) => boolean {
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop();
  if (tail === undefined) return (text) => text === pattern;
  const searches = rest.filter((part) => part !== '').map(compileSearch);
  return (text) => {
    const end = text.length - tail.length;
    if (end < head.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
    let at: number | undefined = head.length;
    for (const search of searches) {
      at = search(text, at, end);
      if (at === undefined) return false;
    }
    return true;
  };
}

/**
 * Compiles many patterns into whether any of them matches. Those without a `*`, and those whose only one stands at the end, are
 * looked up, so that what a long list of them costs is the number of their lengths.
 */
export function compileWildcards(patterns: readonly string[]): (text: string) => boolean {
  const { whole = [], start = [], other = [] } = Object.fromEntries(Map.groupBy(patterns, shapeOf));
  const texts = new Set(whole);
  const starts = [...Map.groupBy(start, ({ length }) => length - 1)].map(
    ([length, group]) => [length, new Set(group.map((pattern) => pattern.slice(0, -1)))] as const,
  );
  const others = other.map(compileWildcard);
  return (text) =>
    texts.has(text) ||
    starts.some(([length, heads]) => heads.has(text.slice(0, length))) ||
    others.some((matches) => matches(text));
}

function shapeOf(pattern: string): 'whole' | 'start' | 'other' {
  const star = pattern.indexOf('*');
  if (star === -1) return 'whole';
  return star === pattern.length - 1 ? 'start' : 'other';
}

/** Where the first occurrence within `[from, end)` ends; undefined if there is none. */
type Search = (text: string, from: number, end: number) => number | undefined;

/** Knuth, Morris and Pratt's search, since `indexOf` can take the product of both lengths. */
function compileSearch(part: string): Search {
  const borders = bordersOf(part);
  return (text, from, end) => {
    let matched = 0;
    for (let at = from; at < end; at++) {
      while (matched > 0 && text[at] !== part[matched]) matched = borders[matched - 1] ?? 0;
      if (text[at] === part[matched]) matched += 1;
      if (matched === part.length) return at + 1;
    }
    return undefined;
  };
}

/** For every prefix of the part, the length of its longest proper prefix that is also its end. */
function bordersOf(part: string): readonly number[] {
  const borders = [0];
  let length = 0;
  for (let at = 1; at < part.length; at++) {
    while (length > 0 && part[at] !== part[length]) length = borders[length - 1] ?? 0;
    if (part[at] === part[length]) length += 1;
    borders.push(length);
  }
  return borders;
}
