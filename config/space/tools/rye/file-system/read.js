// Each of these tools is one file without imports of its own, so that its signature covers everything it does.
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';

export const __version__ = '1.0.0';
export const __tool_type__ = 'node';
export const __executor_id__ = 'rye/core/runtimes/node_runtime';
export const __category__ = 'rye/file-system';
export const __tool_description__ = 'Read a text file of the project, whole or a range of its lines.';
export const __idempotent__ = true;

export const CONFIG_SCHEMA = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1, description: 'Path of the file, relative to the project root.' },
    first_line: { type: 'integer', minimum: 1, default: 1, description: 'Line to start at; the first is 1.' },
    max_lines: { type: 'integer', minimum: 1, maximum: 20000, default: 2000, description: 'Most lines to return.' },
  },
  required: ['path'],
  additionalProperties: false,
};

const MAX_FILE_BYTES = 10 * 1024 * 1024;
const MAX_CONTENT_CHARS = 200_000;

export function execute({ path, first_line = 1, max_lines = 2000 }, projectPath) {
  const file = insideProject(path, projectPath);
  const text = readText(file, path);
  const lines = text.split('\n');
  // A final line break ends the last line; it does not begin another.
  if (lines.at(-1) === '') lines.pop();
  const wanted = lines.slice(first_line - 1, first_line - 1 + max_lines);
  const kept = fitting(wanted);
  const content = kept.length === 0 && wanted.length > 0 ? wanted[0].slice(0, MAX_CONTENT_CHARS) : kept.join('\n');
  const returned = Math.max(kept.length, Math.min(1, wanted.length));
  return {
    path: relative(realpathSync(projectPath), file).replaceAll(sep, '/'),
    content,
    first_line,
    last_line: first_line + returned - 1,
    total_lines: lines.length,
    truncated: first_line + returned - 1 < lines.length || (kept.length === 0 && wanted.length > 0),
  };
}

function readText(file, path) {
  // Opened first and looked at then: nothing can be put in its place in between. Non-blocking, so that a pipe can't hang.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw new Error(`${path} is not a file`);
    if (status.size > MAX_FILE_BYTES) throw new Error(`${path} has ${status.size} bytes; at most ${MAX_FILE_BYTES} are read`);
    const bytes = readFileSync(descriptor);
    if (bytes.includes(0)) throw new Error(`${path} is not a text file`);
    return bytes.toString('utf8');
  } finally {
    closeSync(descriptor);
  }
}

function fitting(lines) {
  let left = MAX_CONTENT_CHARS;
  const end = lines.findIndex((line) => (left -= line.length + 1) < 0);
  return end === -1 ? lines : lines.slice(0, end);
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
