import { readdirSync, realpathSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

export const __version__ = '1.0.0';
export const __tool_type__ = 'node';
export const __executor_id__ = 'rye/core/runtimes/node_runtime';
export const __category__ = 'rye/file-system';
export const __tool_description__ =
  'Find files of the project by pattern: * within a name, ? for one character, ** for any folders.';
export const __idempotent__ = true;

export const CONFIG_SCHEMA = {
  type: 'object',
  properties: {
    pattern: { type: 'string', minLength: 1, maxLength: 500, description: 'For example src/**/*.ts' },
    path: { type: 'string', minLength: 1, default: '.', description: 'Folder to search in, relative to the project root.' },
  },
  required: ['pattern'],
  additionalProperties: false,
};

const MAX_RESULTS = 1000;
const MAX_VISITED = 200_000;
const SKIPPED = new Set(['.git', 'node_modules']);

export function execute({ pattern, path = '.' }, projectPath) {
  const root = realpathSync(projectPath);
  const start = insideProject(path, projectPath);
  // Several ** in a row mean the same as one.
  const parts = pattern.split('/').filter((part, at, all) => part !== '' && !(part === '**' && all[at - 1] === '**'));
  if (parts.includes('..')) throw new Error('the pattern must not contain ..');
  const files = [];
  const walk = { visited: 0 };
  search(start, new Set(reach(parts, 0)), { parts, files, walk });
  files.sort();
  return {
    files: files.slice(0, MAX_RESULTS).map((file) => relative(root, file).replaceAll(sep, '/')),
    total: files.length,
    truncated: files.length > MAX_RESULTS || walk.visited > MAX_VISITED,
  };
}

/** Walks the folders a match can be in. `states` are the parts of the pattern that may come next. Links are not followed. */
function search(folder, states, run) {
  for (const entry of entriesOf(folder)) {
    if ((run.walk.visited += 1) > MAX_VISITED) return;
    const next = new Set([...states].flatMap((at) => step(run.parts, at, entry.name)));
    if (entry.isFile() && next.has(run.parts.length)) run.files.push(join(folder, entry.name));
    if (entry.isDirectory() && next.size > 0 && !SKIPPED.has(entry.name)) search(join(folder, entry.name), next, run);
  }
}

function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Not readable, or gone since its name was read: nothing is found in it.
    return [];
  }
}

/** Where the pattern stands after one name; like a machine that follows all ways at once, so never exponential. */
function step(parts, at, name) {
  if (at >= parts.length) return [];
  if (parts[at] === '**') return reach(parts, at);
  return matches(parts[at], name) ? reach(parts, at + 1) : [];
}

/** A position and, since ** may stand for no folder at all, the one after it. */
function reach(parts, at) {
  return parts[at] === '**' && at < parts.length - 1 ? [at, at + 1] : parts[at] === '**' ? [at, parts.length] : [at];
}

function matches(pattern, name) {
  let at = 0;
  let star = -1;
  let retry = 0;
  for (let read = 0; read < name.length; ) {
    if (pattern[at] === '*') {
      star = at++;
      retry = read;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === name[read])) {
      at += 1;
      read += 1;
    } else if (star >= 0) {
      at = star + 1;
      read = ++retry;
    } else return false;
  }
  return [...pattern.slice(at)].every((char) => char === '*');
}

/** The real path of something that exists in the project; links that lead out of it are refused. */
function insideProject(path, projectPath) {
  if (path.includes('\0')) throw new Error('the path contains a NUL character');
  const root = realpathSync(projectPath);
  const wanted = resolve(root, path);
  refuseOutside(root, wanted, path);
  let real;
  try {
    real = realpathSync(wanted);
  } catch (error) {
    throw new Error(`${path} does not exist`, { cause: error });
  }
  refuseOutside(root, real, path);
  return real;
}

function refuseOutside(root, target, path) {
  const way = relative(root, target);
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) throw new Error(`${path} is outside the project`);
}
