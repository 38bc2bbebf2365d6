import { compileName, type Effort, type NameMatch } from './glob.ts';

/** What a `.gitignore` says of a path below its folder; undefined if nothing, as far as the effort goes. */
export type IgnoreRules = (path: string, isFolder: boolean, effort: Effort) => 'ignored' | 'kept' | undefined;

/** A part of a pattern: one name, or `**` for any number of folders. */
type Part = NameMatch | '**';

type Rule = { readonly parts: readonly Part[]; readonly isKept: boolean; readonly foldersOnly: boolean };

/** More than people write, since every path is compared with every rule: what is beyond is no rule. */
const MAX_LINES = 10_000;
const MAX_LINE_LENGTH = 1000;

/** Reads a `.gitignore` as git does: the last line that fits decides. */
export function parseIgnoreRules(text: string): IgnoreRules {
  const rules = text.split(/\r?\n/, MAX_LINES).flatMap(ruleOf).toReversed();
  return (path, isFolder, effort) => {
    const names = path.split('/');
    const rule = rules.find(({ parts, foldersOnly }) => (isFolder || !foldersOnly) && fitsFrom(parts, names, effort));
    return rule && (rule.isKept ? 'kept' : 'ignored');
  };
}

function ruleOf(line: string): Rule[] {
  if (line.length > MAX_LINE_LENGTH) return [];
  const isKept = line.startsWith('!');
  const pattern = withoutTrail(line.slice(isKept ? 1 : 0));
  if (pattern === '' || pattern.startsWith('#')) return [];
  const names = pattern.split('/').filter((name) => name !== '');
  // Without a slash, but for one at its end, it holds in every folder.
  const isAnchored = /\/./.test(pattern);
  const parts = names.map((name): Part => (name === '**' ? '**' : compileName(name)));
  if (parts.length === 0) return [];
  return [{ parts: isAnchored ? parts : ['**', ...parts], isKept, foldersOnly: pattern.endsWith('/') }];
}

/** Without the spaces at its end, but for one after a backslash. */
function withoutTrail(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ' && line[end - 2] !== '\\') end--;
  return line.slice(0, end);
}

/** `**` may stand for no folder, but at the end for at least one name. Goes back to the last `**` only. */
function fitsFrom(parts: readonly Part[], names: readonly string[], effort: Effort): boolean {
  let part = 0;
  let lastAny = -1;
  let retry = 0;
  for (let at = 0; at < names.length;) {
    if (--effort.left < 0) return false;
    const current = parts[part];
    if (current === '**') {
      if (part === parts.length - 1) return true;
      lastAny = part++;
      retry = at;
    } else if (current?.(names[at] ?? '', effort)) {
      part++;
      at++;
    } else if (lastAny >= 0) {
      part = lastAny + 1;
      at = ++retry;
    } else return false;
  }
  return part === parts.length;
}
