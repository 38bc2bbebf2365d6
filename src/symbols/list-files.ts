import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../core/code-of.ts';
import { type IgnoreRules, parseIgnoreRules } from './ignore-rules.ts';
import { readProjectFile } from './project-file.ts';

/** A file or folder that is not looked at, and why. */
export type LeftOut = { readonly path: string; readonly reason: string };

/** The files of a project, by path relative to its root. */
export type Listing = { readonly files: readonly string[]; readonly leftOut: readonly LeftOut[] };

/** Bounds of a listing: far beyond a real project, so that a mistaken root (a home directory) does not hang. */
const MAX_FILES = 100_000;
const MAX_DEPTH = 40;

/** What belongs to a tool and not to the project. */
const SKIPPED = new Set(['.git', '.hg', '.svn', 'node_modules', '.ds_store']);
const SKIPPED_PATHS = ['.ai/cache', '.ai/threads', '.ai/keys'];
/** The user's space may lie in the project, under any name. */
const SIGNING_KEY = /(?:^|\/)keys\/private\.pem$/;

/**
 * All files of a project but those its `.gitignore` files and `.git/info/exclude` leave out, sorted. Links are not
 * followed. A folder that is ignored is not entered, as in git.
 *
 * @param root the project's real root
 */
export function listFiles(root: string): Listing {
  const found: Found = { root, files: [], leftOut: [] };
  const exclude = readRules('.git/info/exclude', found);
  const pending: Folder[] = [{ path: '', depth: 0, rules: exclude ? [{ from: 0, says: exclude }] : [] }];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    if (found.files.length >= MAX_FILES) {
      found.leftOut.push({ path: folder.path, reason: `more than ${MAX_FILES} files` });
      break;
    }
    pending.push(...readFolder(folder, found));
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

type Found = { readonly root: string; readonly files: string[]; readonly leftOut: LeftOut[] };

/** Rules hold for what comes after `from` characters of a path. */
type Placed = { readonly from: number; readonly says: IgnoreRules };

/** A folder to look into; the rules of its own file come last, and decide first. */
type Folder = { readonly path: string; readonly depth: number; readonly rules: readonly Placed[] };

function readFolder({ path, depth, rules }: Folder, found: Found): Folder[] {
  const entries = entriesOf(path, found);
  const prefix = path === '' ? '' : `${path}/`;
  const hasRules = entries.some((entry) => entry.name === '.gitignore' && entry.isFile());
  const own = hasRules && readRules(`${prefix}.gitignore`, found);
  const inForce = own ? [...rules, { from: prefix.length, says: own }] : rules;
  const folders: Folder[] = [];
  for (const entry of entries) {
    const inside = prefix + entry.name;
    if (isHidden(inside) || isIgnored(inside, entry.isDirectory(), inForce)) continue;
    if (!isPlain(entry.name)) found.leftOut.push({ path: inside, reason: 'its name has control characters' });
    else if (entry.isFile()) found.files.push(inside);
    else if (!entry.isDirectory()) continue;
    else if (depth < MAX_DEPTH) folders.push({ path: inside, depth: depth + 1, rules: inForce });
    else found.leftOut.push({ path: inside, reason: `more than ${MAX_DEPTH} folders deep` });
  }
  return folders;
}

function isIgnored(path: string, isFolder: boolean, rules: readonly Placed[]): boolean {
  for (let at = rules.length - 1; at >= 0; at--) {
    const rule = rules[at];
    const said = rule?.says(path.slice(rule.from), isFolder);
    if (said !== undefined) return said === 'ignored';
  }
  return false;
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

/** Without a file that can be read there are no rules. Characters in another encoding spoil the rule that they are in, as in git. */
function readRules(path: string, { root, leftOut }: Found): IgnoreRules | undefined {
  const file = readProjectFile(root, path);
  if (file?.bytes) return parseIgnoreRules(LENIENT.decode(file.bytes));
  if (file?.kind === 'unusable') leftOut.push({ path, reason: `its rules do not count: ${file.reason}` });
  return undefined;
}

const LENIENT = new TextDecoder();
