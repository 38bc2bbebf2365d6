import { existsSync, lstatSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { Effort } from './glob.ts';
import { type IgnoreRules, parseIgnoreRules } from './ignore-rules.ts';
import { readProjectFile } from './project-file.ts';

/** A file or folder that is not looked at, and why. */
export type LeftOut = { readonly path: string; readonly reason: string };

/** Rules hold for what comes after `from` characters of a path. Those of the innermost folder stand last, and decide first. */
export type PlacedRules = readonly { readonly from: number; readonly says: IgnoreRules }[];

/** A path to be compared with rules, and the effort that this may take. */
export type RuledPath = { readonly path: string; readonly isFolder: boolean; readonly effort: Effort };

/** Whether rules leave out a file or folder; `unknown` if the effort did not suffice to find out. */
export function isIgnored({ path, isFolder, effort }: RuledPath, rules: PlacedRules): boolean | 'unknown' {
  for (let at = rules.length - 1; at >= 0; at--) {
    const rule = rules[at];
    const said = rule?.says(path.slice(rule.from), isFolder, effort);
    if (effort.left < 0) return 'unknown';
    if (said !== undefined) return said === 'ignored';
  }
  return false;
}

/** Without a file that can be read there are no rules. Characters in another encoding spoil the rule that they are in, as in git. */
export function readRules(root: string, path: string): { readonly says?: IgnoreRules; readonly problem?: string } {
  const file = readProjectFile(root, path);
  if (file?.bytes) return { says: parseIgnoreRules(LENIENT.decode(file.bytes)) };
  return file?.kind === 'unusable' ? { problem: `its rules do not count: ${file.reason}` } : {};
}

const LENIENT = new TextDecoder();

/** What rules hold for a project before its own files are looked at. */
export type RulesAbove = {
  /** Leads from the root of its repository to the project, with a `/` at its end; the paths of the rules begin with it. */
  readonly way: string;
  readonly rules: PlacedRules;
  readonly leftOut: readonly LeftOut[];
};

/**
 * The rules of the repository that a project is, or is a folder of. None where they leave out the project itself: who works
 * in it wants to see it. Nor where that can't be known.
 */
export function rulesAbove(root: string, effort: Effort): RulesAbove {
  const top = repositoryOf(root) ?? root;
  const rules: { from: number; says: IgnoreRules }[] = [];
  const leftOut: LeftOut[] = [];
  const add = (path: string, from: number): void => {
    const { says, problem } = readRules(top, path);
    if (says) rules.push({ from, says });
    if (problem !== undefined) leftOut.push({ path: slashed(relative(root, join(top, path))), reason: problem });
  };
  let way = '';
  add('.git/info/exclude', 0);
  for (const name of relative(top, root).split(sep).filter(Boolean)) {
    const file = `${way}.gitignore`;
    // As git does, links aside.
    if (lstatSync(join(top, file), { throwIfNoEntry: false })?.isFile()) add(file, way.length);
    if (isIgnored({ path: way + name, isFolder: true, effort }, rules)) return { way: '', rules: [], leftOut: [] };
    way += `${name}/`;
  }
  return { way, rules, leftOut };
}

/** The innermost folder, from this one upwards, that git takes for a repository. */
function repositoryOf(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : repositoryOf(above);
}

function slashed(path: string): string {
  return path.split(sep).join('/');
}
