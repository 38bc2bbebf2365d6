import type { Constant, Constants } from './constants.ts';
import { readJson } from './safe-json.ts';

const HEADER = /^#\s?(\w{1,40}):(.*)$/;

/**
 * Reads the constants of these names from the comment lines `# __name__: value` of a shell script. `CONFIG_SCHEMA` is JSON and may go on
 * over the following comment lines. The first line of a name counts; `onRepeated` hears of the others.
 */
export function readBashConstants(
  source: string,
  names: ReadonlySet<string>,
  onRepeated: (name: string, line: number) => void,
): Constants {
  const lines = source.split('\n').map((line) => line.trimEnd());
  const constants = new Map<string, Constant>();
  for (const [index, line] of lines.entries()) {
    const [, name = '', text = ''] = HEADER.exec(line) ?? [];
    if (!names.has(name)) continue;
    const at = index + 1;
    if (constants.has(name)) onRepeated(name, at);
    else if (name === 'CONFIG_SCHEMA') constants.set(name, readSchema(text, lines.slice(at, at + 2000), at));
    else constants.set(name, { ok: true, value: readPlain(name, text.trim()), line: at });
  }
  return constants;
}

function readSchema(first: string, following: readonly string[], line: number): Constant {
  const text = [first];
  let depth = bracketBalance(first);
  for (const next of following) {
    if (depth <= 0 || !next.startsWith('#')) break;
    text.push(next.slice(1));
    depth += bracketBalance(next.slice(1));
  }
  const json = readJson(text.join('\n'));
  return json.ok ? { ok: true, value: json.value, line } : { ok: false, reason: `it is ${json.reason}`, line };
}

/** Opening minus closing brackets of a line, those in text left out. A text without an end goes to that of the line. */
function bracketBalance(line: string): number {
  const outside = line.replaceAll(/"(?:[^"\\]|\\.)*"?/g, '');
  return (outside.match(/[[{]/g)?.length ?? 0) - (outside.match(/[\]}]/g)?.length ?? 0);
}

/** Text, without quotes around it; the two constants that are no text are read as JSON. */
function readPlain(name: string, text: string): unknown {
  const json = readJson(text);
  const typed = name === '__idempotent__' || name === '__timeout_seconds__' || text.startsWith('"');
  return typed && json.ok ? json.value : text.replace(/^'([^']*)'$/, '$1');
}
