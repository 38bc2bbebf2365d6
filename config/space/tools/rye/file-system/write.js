import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

export const __version__ = '1.0.0';
export const __tool_type__ = 'node';
export const __executor_id__ = 'rye/core/runtimes/node_runtime';
export const __category__ = 'rye/file-system';
export const __tool_description__ =
  'Write a text file of the project: creates it, and the folders it needs, or replaces what it contains.';
export const __idempotent__ = false;

export const CONFIG_SCHEMA = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1, description: 'Path of the file, relative to the project root.' },
    content: { type: 'string', description: 'The whole new content of the file.' },
  },
  required: ['path', 'content'],
  additionalProperties: false,
};

// What the runtime keeps for itself, what it is configured by, and the tools and directives it runs: a model must not
// change the rules it works under, nor write itself a tool that runs outside of them.
const REFUSED_FOLDER = '.ai';

export function execute({ path, content }, projectPath) {
  if (path.includes('\0')) throw new Error('the path contains a NUL character');
  const root = realpathSync.native(projectPath);
  const file = target(root, path);
  refuseProtected(root, file, path);
  const before = statSync(file, { throwIfNoEntry: false });
  if (before && !before.isFile()) throw new Error(`${path} is not a file`);
  mkdirSync(dirname(file), { recursive: true });
  replace(file, content, before?.mode);
  return {
    path: relative(root, file).replaceAll(sep, '/'),
    bytes: Buffer.byteLength(content),
    created: before === undefined,
  };
}

/** Where to write: links on the way are followed, and must not lead out of the project. */
function target(root, path) {
  const wanted = resolve(root, path);
  refuseOutside(root, wanted, path);
  if (wanted === root) throw new Error(`${path} is not a file`);
  const real = realOrNew(wanted, path);
  refuseOutside(root, real, path);
  return real;
}

/** The real path of a file that may not exist yet: of its nearest folder that does, and the rest of the way. */
function realOrNew(wanted, path) {
  const missing = [];
  for (let at = wanted; ; at = dirname(at)) {
    if (lstatSync(at, { throwIfNoEntry: false })) {
      return join(realExisting(at, path), ...missing);
    }
    missing.unshift(basename(at));
  }
}

function realExisting(existing, path) {
  try {
    return realpathSync.native(existing);
  } catch (error) {
    // The entry is there but what it points to is not.
    throw new Error(`${path} goes through a link that leads nowhere`, { cause: error });
  }
}

function refuseOutside(root, target, path) {
  const way = relative(root, target);
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) throw new Error(`${path} is outside the project`);
}

/** Both what was asked for and where it leads; the project's space may be a link itself. */
function refuseProtected(root, file, path) {
  const space = join(root, REFUSED_FOLDER);
  const folders = existsSync(space) ? [space, realpathSync.native(space)] : [space];
  if (folders.some((folder) => isInside(folder, file) || isInside(folder, resolve(root, path)))) {
    throw new Error(`${path} belongs to the runtime (${REFUSED_FOLDER}) and is not written by this tool`);
  }
}

/** Lower case, since some file systems do not tell the difference. */
function isInside(folder, target) {
  const [outer, inner] = [folder, target].map((way) => `${way.toLowerCase()}${sep}`);
  return inner.startsWith(outer);
}

/** Written beside it and moved into place, so that nobody ever sees half a file and a link is never followed. */
function replace(file, content, mode) {
  const draft = join(dirname(file), `.${randomUUID()}.draft`);
  try {
    writeFileSync(draft, content, { flag: 'wx', mode: mode === undefined ? 0o666 : mode & 0o777 });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}
