import { existsSync } from 'node:fs';
import { shownPath, writablePath } from './project-path.js';
import { MAX_FILE_BYTES, readTextFile, replaceFile } from './text-file.js';

export const __version__ = '1.0.0';
export const __tool_type__ = 'node';
export const __executor_id__ = 'rye/core/runtimes/node_runtime';
export const __category__ = 'rye/file-system';
export const __tool_description__ =
  'Change a text file of the project: replaces one exact string, which must occur once, or with replace_all every occurrence.';
export const __idempotent__ = false;

export const CONFIG_SCHEMA = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1, description: 'Path of the file, relative to the project root.' },
    old_string: {
      type: 'string',
      minLength: 1,
      description: 'The text to replace, exactly as it stands in the file, with enough around it to be found once.',
    },
    new_string: { type: 'string', description: 'What stands there instead; empty to delete.' },
    replace_all: { type: 'boolean', default: false, description: 'Replace every occurrence.' },
  },
  required: ['path', 'old_string', 'new_string'],
  additionalProperties: false,
};

export function execute({ path, old_string, new_string, replace_all = false }, projectPath) {
  if (old_string === new_string) throw new Error('old_string and new_string are the same');
  const file = writablePath(path, projectPath);
  if (!existsSync(file)) throw new Error(`${path} does not exist`);
  let change;
  replaceFile(file, path, () => {
    change = changeText(readUtf8(file, path), { path, old_string, new_string, replace_all });
    return change.content;
  });
  const { replacements, first_line } = change;
  return { path: shownPath(file, projectPath), replacements, first_line };
}

function changeText(text, { path, old_string, new_string, replace_all }) {
  const first = firstPlace(text, { path, old_string, replace_all });
  const replacements = replace_all ? count(text, old_string) : 1;
  const bytes =
    Buffer.byteLength(text) + replacements * (Buffer.byteLength(new_string) - Buffer.byteLength(old_string));
  if (bytes > MAX_FILE_BYTES)
    throw new Error(`${path} would have ${bytes} bytes; at most ${MAX_FILE_BYTES} are written`);
  const content = replace_all
    ? text.split(old_string).join(new_string)
    : text.slice(0, first) + new_string + text.slice(first + old_string.length);
  return { content, replacements, first_line: count(text.slice(0, first), '\n') + 1 };
}

/** Bytes that are no UTF-8 would not survive being read and written again. A byte order mark does. */
function readUtf8(file, path) {
  const { bytes, refused } = readTextFile(file);
  if (refused) throw new Error(`${path} ${refused}`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new Error(`${path} is not UTF-8 text`, { cause: error });
  }
}

function firstPlace(text, { path, old_string, replace_all }) {
  const first = text.indexOf(old_string);
  if (first === -1) throw new Error(`old_string does not occur in ${path}${lineEndHint(text, old_string)}`);
  // From the next character on: two places that overlap are two all the same.
  if (!replace_all && text.includes(old_string, first + 1)) {
    throw new Error(
      `old_string occurs more than once in ${path}: take in more of the text around it, or set replace_all`,
    );
  }
  return first;
}

function lineEndHint(text, wanted) {
  const isIt = !wanted.includes('\r') && text.includes(wanted.replaceAll('\n', '\r\n'));
  return isIt ? '; the lines of this file end in \\r\\n' : '';
}

function count(text, wanted) {
  let times = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) times += 1;
  return times;
}
