import { isUtf8 } from 'node:buffer';
import { existingPath, shownPath } from './project-path.js';
import { readTextFile } from './text-file.js';

export const __version__ = '1.3.0';
export const __tool_type__ = 'node';
export const __executor_id__ = 'rye/core/runtimes/node_runtime';
export const __category__ = 'rye/file-system';
export const __tool_description__ =
  'Read a text file of the project, whole or a range of its lines. If the answer has line_cut (the beginning of a long line) or not_utf8, some of the file is lost in its text: do not write that back.';
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

/** Characters of a page as JSON, which is what a model gets: of a longer answer it would miss the end. */
const MAX_CONTENT_CHARS = 80_000;

export function execute({ path, first_line = 1, max_lines = 2000 }, projectPath) {
  const file = existingPath(path, projectPath);
  const { bytes, refused } = readTextFile(file);
  if (refused) throw new Error(`${path} ${refused}`);
  const lines = bytes.toString('utf8').split('\n');
  // A final line break ends the last line; it does not begin another.
  if (lines.at(-1) === '') lines.pop();
  const wanted = lines.slice(first_line - 1, first_line - 1 + max_lines);
  const kept = fitting(wanted);
  const isLineCut = kept.length === 0 && wanted.length > 0;
  const content = isLineCut ? beginning(wanted[0]) : kept.join('\n');
  const returned = Math.max(kept.length, Math.min(1, wanted.length));
  return {
    path: shownPath(file, projectPath),
    first_line,
    last_line: first_line + returned - 1,
    total_lines: lines.length,
    truncated: first_line + returned - 1 < lines.length || isLineCut,
    ...(isLineCut && { line_cut: true }),
    ...(!isUtf8(bytes) && { not_utf8: true }),
    // What is long stands last: if the answer is cut, nothing else is missing.
    content,
  };
}

function fitting(lines) {
  let left = MAX_CONTENT_CHARS;
  // Its quotes are as long as the line break.
  const end = lines.findIndex((line) => (left -= JSON.stringify(line).length) < 0);
  return end === -1 ? lines : lines.slice(0, end);
}

/** As much of a line as fits, without half a character at its end. */
function beginning(line) {
  let end = Math.min(line.length, MAX_CONTENT_CHARS);
  // One character is at most six in JSON: never too much is taken away.
  for (let over = 1; over > 0;) {
    over = JSON.stringify(line.slice(0, end)).length - MAX_CONTENT_CHARS;
    if (over > 0) end -= Math.ceil(over / 6);
  }
  const kept = line.slice(0, end);
  return kept.isWellFormed() ? kept : kept.slice(0, -1);
}
