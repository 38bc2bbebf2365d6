import { RE2JS as Regex, type RE2JS } from 're2js';
import { SkeinError } from '../core/errors.ts';

/** Compiles a pattern for the linear-time engine. Throws `invalid_config` for what that engine does not know. */
export function compileRegex(pattern: string, path: string): RE2JS {
  try {
    return Regex.compile(pattern);
  } catch (cause) {
    throw new SkeinError(
      'invalid_config',
      `"${pattern}" is not a regular expression of the linear-time engine (no look-around, no backreferences)`,
      { where: { path }, cause },
    );
  }
}

/** Named groups of the first match of `pattern` in `text`; undefined if there is no match. */
export function captureGroups(pattern: RE2JS, text: string): Readonly<Record<string, string>> | undefined {
  const matcher = pattern.matcher(text);
  if (!matcher.find()) return undefined;
  const names = Object.keys(pattern.namedGroups());
  return Object.fromEntries(names.map((name) => [name, matcher.group(name) ?? '']));
}
