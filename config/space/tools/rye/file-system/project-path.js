// How the file tools stay inside the project. Not a tool: it declares no contract, so it is never listed. A tool that is
// copied into another space needs the modules it imports beside it.
import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

// What a runtime keeps for itself, what it is configured by, and the tools and directives it runs, in whatever folder that is a
// project: a model must not change the rules that it or others work under, nor write a tool that runs outside of them.
const SPACE = '.ai';
// What git is configured by, which can name programs that everybody's next git command runs.
const GIT = '.git';

/** The real path of something that exists in the project; links that lead out of it are refused. */
export function existingPath(path, projectPath) {
  const root = realpathSync.native(projectPath);
  const wanted = wantedPath(path, root);
  const real = realPath(wanted, `${path} does not exist`);
  refuseOutside(root, real, path);
  return real;
}

/**
 * Where to write a file that may not exist yet: links on the way are followed, and must not lead out of the project nor
 * into what belongs to the runtime.
 */
export function writablePath(path, projectPath) {
  const root = realpathSync.native(projectPath);
  const wanted = wantedPath(path, root);
  if (wanted === root) throw new Error(`${path} is not a file`);
  const file = realOrNew(wanted, path);
  refuseOutside(root, file, path);
  refuseProtected(root, { file, wanted, path });
  return file;
}

/** A path as a model reads it: relative to the project root, with slashes. */
export function shownPath(file, projectPath) {
  return relative(realpathSync.native(projectPath), file).replaceAll(sep, '/') || '.';
}

function wantedPath(path, root) {
  if (path.includes('\0')) throw new Error('the path contains a NUL character');
  const wanted = resolve(root, path);
  refuseOutside(root, wanted, path);
  return wanted;
}

function realPath(path, problem) {
  try {
    return realpathSync.native(path);
  } catch (error) {
    throw new Error(problem, { cause: error });
  }
}

/** The real path of the nearest folder that exists, and the rest of the way. */
function realOrNew(wanted, path) {
  const missing = [];
  for (let at = wanted; ; at = dirname(at)) {
    if (lstatSync(at, { throwIfNoEntry: false })) {
      return join(realPath(at, `${path} goes through a link that leads nowhere`), ...missing);
    }
    missing.unshift(basename(at));
  }
}

function refuseOutside(root, target, path) {
  const way = relative(root, target);
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) throw new Error(`${path} is outside the project`);
}

/** Both what was asked for and where it leads. */
function refuseProtected(root, { file, wanted, path }) {
  const isIn = (folder) => isInside(folder, file) || isInside(folder, wanted);
  const isNamed = (name) => hasPart(root, file, name) || hasPart(root, wanted, name);
  if (isNamed(SPACE) || spacesIn(root).some(isIn)) throw refusal(path, `the runtime (${SPACE})`);
  if (codeIn(root).some(isIn)) throw refusal(path, 'the runtime, which is installed there,');
  if (isNamed(GIT) || isOfRepository(root, file) || isOfRepository(root, wanted)) throw refusal(path, `git (${GIT})`);
}

function refusal(path, owner) {
  return new Error(`${path} belongs to ${owner} and is not written by this tool`);
}

/** Whether a folder on the way is named so, or the file itself. */
function hasPart(root, target, name) {
  return relative(root, target).toLowerCase().split(sep).includes(name);
}

/** Where the project's space and the user's lie in the project under other names: either may be a link. */
function spacesIn(root) {
  const spaces = [join(root, SPACE), ...userSpaces()];
  const real = spaces.filter((space) => existsSync(space)).map((space) => realpathSync.native(space));
  // A project that lies in the user's space would have nothing to write.
  return [...spaces, ...real].filter((space) => !isInside(space, root));
}

/**
 * What the runtime is loaded from, if that lies in the project: its package, and every folder in which Node looks for the
 * packages that it loads, from its own up to the project's. In a project that is its own source, what it has been built to.
 */
function codeIn(root) {
  const [, code] = SHIPPED.exec(import.meta.dirname) ?? [];
  if (code === undefined) return [];
  const real = realpathSync.native(code);
  const own = basename(real) === 'dist' ? dirname(real) : real;
  const packages = upTo(root, own).map((at) => join(at, 'node_modules'));
  return [own, real, ...packages].filter((folder) => !isInside(folder, root));
}

/** Where this file lies in what ships, or in its source; anywhere else it is somebody's copy. */
const SHIPPED = /^(.+)[\\/]config[\\/]space[\\/]tools[\\/]rye[\\/]file-system$/;

/** Whether a file lies in a repository under another name than `.git`, which may lead to it. */
function isOfRepository(root, target) {
  return upTo(root, dirname(target)).some((folder) => isRepository(folder, target));
}

/**
 * By what git itself knows one by. What is to be written counts as there: else the settings could be written before the rest
 * of a repository. Its `HEAD` is never written, since calls at the same time do not see what the others write.
 */
function isRepository(folder, target) {
  const has = (name) => isInside(join(folder, name), target) || existsSync(join(folder, name));
  const isHead = join(folder, 'HEAD').toLowerCase() === target.toLowerCase();
  return isHead || (has('HEAD') && ((has('objects') && has('refs')) || has('commondir')));
}

/** A folder of the project and those around it, up to its root. */
function upTo(root, folder) {
  const folders = [];
  for (let at = folder; isInside(root, at); at = dirname(at)) {
    folders.push(at);
    if (at === dirname(at)) break;
  }
  return folders;
}

/** The user's space, if there is one. */
function userSpaces() {
  try {
    return [resolve(process.env.SKEIN_USER_SPACE || join(homedir(), SPACE))];
  } catch {
    // A user that the system does not know has no home.
    return [];
  }
}

/** Whether a file, by its real path, is a private key for signing: who reads it can sign in the user's name. */
export function isSigningKey(file) {
  if (basename(file).toLowerCase() !== 'private.pem') return false;
  const space = dirname(dirname(file));
  const isUsers = (own) => existsSync(own) && realpathSync.native(own) === space;
  return basename(space).toLowerCase() === SPACE || userSpaces().some(isUsers);
}

/** Lower case, since some file systems do not tell the difference. */
function isInside(folder, target) {
  const [outer, inner] = [folder, target].map((way) => (way.endsWith(sep) ? way : `${way}${sep}`).toLowerCase());
  return inner.startsWith(outer);
}
