import { existingPath, shownPath } from './project-path.js';
import { readTextFile } from './text-file.js';

export const __version__ = '1.1.0';
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

const MAX_CONTENT_CHARS = 200_000;

export function execute({ path, first_line = 1, max_lines = 2000 }, projectPath) {
  const file = existingPath(path, projectPath);
  const { bytes, refused } = readTextFile(file);
  if (refused) throw new Error(`${path} ${refused}`);
  const lines = bytes.toString('utf8').split('\n');
  // A final line break ends the last line; it does not begin another.
  if (lines.at(-1) === '') lines.pop();
  const wanted = lines.slice(first_line - 1, first_line - 1 + max_lines);
  const kept = fitting(wanted);
  const content = kept.length === 0 && wanted.length > 0 ? wanted[0].slice(0, MAX_CONTENT_CHARS) : kept.join('\n');
  const returned = Math.max(kept.length, Math.min(1, wanted.length));
  return {
    path: shownPath(file, projectPath),
    content,
    first_line,
    last_line: first_line + returned - 1,
    total_lines: lines.length,
    truncated: first_line + returned - 1 < lines.length || (kept.length === 0 && wanted.length > 0),
  };
}

function fitting(lines) {
  let left = MAX_CONTENT_CHARS;
  const end = lines.findIndex((line) => (left -= line.length + 1) < 0);
  return end === -1 ? lines : lines.slice(0, end);
}
