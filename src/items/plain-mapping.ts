/** Names, versions in quotes, words and lists of them: what most front matter is made of. */
const LINE = /^([A-Za-z_][\w-]{0,63}):(?: +(?:([A-Za-z][\w./-]*(?: [\w./-]+)*)|"([^"\\\p{C}]*)"|\[([^\]]*)\]))$/u;
const ENTRY = /^[A-Za-z][\w./-]*(?: [\w./-]+)*$/;
/** Words that YAML takes for something else than text. */
const NO_TEXT = /^(?:null|true|false)$/i;
/** More would make the search for repeated names slow. */
const MAX_LINES = 50;

/**
 * Reads YAML of lines like `name: some words`, `version: "1.0"` and `tags: [one, two]` and of nothing else, in a tenth of the time of a
 * parser: a cold prompt reads many front matters. The result is the parser's.
 *
 * @returns undefined for a text with anything else in it: the parser has to read it
 */
export function readPlainMapping(yaml: string): Readonly<Record<string, unknown>> | undefined {
  // One more than may be there, and the nothing behind the last line feed.
  const lines = yaml.split('\n', MAX_LINES + 2);
  if (lines.at(-1) === '') lines.pop();
  if (lines.length === 0 || lines.length > MAX_LINES) return undefined;
  const data: Record<string, unknown> = {};
  for (const line of lines) {
    const match = LINE.exec(line);
    const name = match?.[1];
    if (!match || name === undefined || NO_TEXT.test(name) || name === '__proto__' || Object.hasOwn(data, name))
      return undefined;
    const value = valueOf(match);
    if (value === undefined) return undefined;
    data[name] = value;
  }
  return data;
}

function valueOf([, , words, quoted, list]: RegExpExecArray): string | readonly string[] | undefined {
  if (words !== undefined) return NO_TEXT.test(words) ? undefined : words;
  if (quoted !== undefined) return quoted;
  if (list === undefined) return undefined;
  if (list.trim() === '') return undefined;
  const entries = list.split(',').map((entry) => entry.trim());
  return entries.every((entry) => ENTRY.test(entry) && !NO_TEXT.test(entry)) ? entries : undefined;
}
