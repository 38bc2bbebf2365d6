import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../core/code-of.ts';
import type { Effort } from './glob.ts';
import { isIgnored, type LeftOut, type PlacedRules, readRules, rulesAbove } from './placed-rules.ts';

/** The files of a project, by path relative to its root. */
export type Listing = { readonly files: readonly string[]; readonly leftOut: readonly LeftOut[] };

/** Bounds of a listing: far beyond a real project, so that a mistaken root (a home directory) does not hang. */
const MAX_FILES = 100_000;
const MAX_DEPTH = 40;

/**
 * Steps of comparing paths with rules, of some 10 ns: so many for a listing, and more for each entry of a folder. The rules of Linux
 * take 3,000 a path.
 */
const STEPS = 50_000_000;
const STEPS_A_PATH = 10_000;

const TOO_LONG = 'comparing paths with the rules of .gitignore files takes too long: the list ends here';

/** What belongs to a tool and not to the project. */
const SKIPPED = new Set(['.git', '.hg', '.svn', 'node_modules', '.ds_store']);
const SKIPPED_PATHS = ['.ai/cache', '.ai/threads', '.ai/keys'];
/** The user's space may lie in the project, under any name. */
const SIGNING_KEY = /(?:^|\/)keys\/private\.pem$/;

/**
 * All files of a project but those its `.gitignore` files and `.git/info/exclude`, and those above it in its repository,
 * leave out, sorted. Links are not followed. A folder that is ignored is not entered, as in git.
 *
 * @param root the project's real root
 */
export function listFiles(root: string): Listing {
  const effort = { left: STEPS };
  const { way, rules, leftOut } = rulesAbove(root, effort);
  const found: Found = { root, way, effort, files: [], leftOut: [...leftOut] };
  const pending: Folder[] = [{ path: '', depth: 0, rules }];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    if (found.files.length >= MAX_FILES) {
      found.leftOut.push({ path: folder.path, reason: `more than ${MAX_FILES} files` });
      break;
    }
    pending.push(...readFolder(folder, found));
    if (effort.left < 0) break;
  }
  return { files: found.files.toSorted(), leftOut: found.leftOut };
}

/** Whether a path lies in what belongs to a tool, or is what the runtime keeps for itself. */
export function isHidden(path: string): boolean {
  // Some file systems do not tell the difference.
  const lower = path.toLowerCase();
  const isSkipped = SKIPPED_PATHS.some((folder) => lower === folder || lower.startsWith(`${folder}/`));
  return isSkipped || SIGNING_KEY.test(lower) || lower.split('/').some((name) => SKIPPED.has(name));
}

/** The `way` is what paths begin with for the rules. */
type Found = {
  readonly root: string;
  readonly way: string;
  readonly effort: Effort;
  readonly files: string[];
  readonly leftOut: LeftOut[];
};

/** A folder to look into, and the rules of those above it. */
type Folder = { readonly path: string; readonly depth: number; readonly rules: PlacedRules };

function readFolder({ path, depth, rules }: Folder, found: Found): Folder[] {
  const entries = entriesOf(path, found);
  const prefix = path === '' ? '' : `${path}/`;
  const hasRules = entries.some((entry) => entry.name === '.gitignore' && entry.isFile());
  const inForce = hasRules ? withOwnRules({ path: prefix, depth, rules }, found) : rules;
  const folders: Folder[] = [];
  found.effort.left += entries.length * STEPS_A_PATH;
  for (const entry of entries) {
    const inside = prefix + entry.name;
    if (isHidden(inside)) continue;
    const isLeft = isIgnored(
      { path: found.way + inside, isFolder: entry.isDirectory(), effort: found.effort },
      inForce,
    );
    if (isLeft === true) continue;
    if (isLeft === 'unknown') {
      found.leftOut.push({ path: inside, reason: TOO_LONG });
      break;
    }
    if (!isPlain(entry.name)) found.leftOut.push({ path: inside, reason: 'its name has control characters' });
    else if (entry.isFile()) found.files.push(inside);
    else if (!entry.isDirectory()) continue;
    else if (depth < MAX_DEPTH) folders.push({ path: inside, depth: depth + 1, rules: inForce });
    else found.leftOut.push({ path: inside, reason: `more than ${MAX_DEPTH} folders deep` });
  }
  return folders;
}

function withOwnRules({ path, rules }: Folder, { root, way, leftOut }: Found): PlacedRules {
  const file = `${path}.gitignore`;
  const { says, problem } = readRules(root, file);
  if (problem !== undefined) leftOut.push({ path: file, reason: problem });
  return says ? [...rules, { from: way.length + path.length, says }] : rules;
}

/** A name with a line break would be a line of the prompt. */
export function isPlain(name: string): boolean {
  // eslint-disable-next-line no-control-regex -- they are what is looked for
  return !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(name);
}

function entriesOf(path: string, { root, leftOut }: Found): Dirent[] {
  try {
    return readdirSync(join(root, path), { withFileTypes: true });
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    leftOut.push({ path, reason: `the folder can't be read (${code})` });
    return [];
  }
}
