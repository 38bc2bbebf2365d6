import { closeSync, constants, openSync, readdirSync, readSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const __version__ = '1.0.0';
export const __tool_type__ = 'node';
export const __executor_id__ = 'rye/core/runtimes/node_runtime';
export const __category__ = 'demo';
export const __tool_description__ = 'List the text files below a folder in alphabetical order, a page at a time.';
export const __idempotent__ = true;

export const CONFIG_SCHEMA = {
  type: 'object',
  properties: {
    folder: { type: 'string', minLength: 1, description: 'Absolute path of the folder.' },
    after: { type: 'string', default: '', description: 'The `next` of the page before; empty for the first page.' },
    // Also as text, which is all that a scripted model gets out of its prompt.
    page_size: {
      type: ['integer', 'string'],
      minimum: 1,
      pattern: '^[1-9][0-9]*$',
      description: 'Most files on a page.',
    },
    report_folder: { type: 'string', default: '', description: 'The survey.md in this folder is left out.' },
  },
  required: ['folder', 'page_size'],
  additionalProperties: false,
};

/** As many as the survey may spawn threads. */
const MAX_FILES = 5000;
/** As many children as the survey has money for at a time (0.4 of its 25 USD each), whatever one wait may take. */
const MAX_PAGE = 60;
const SKIPPED = new Set(['.git', 'node_modules', 'dist', '.ai/threads']);
const SNIFFED_BYTES = 8192;

export function execute({ folder, after = '', page_size, report_folder = '' }) {
  const root = realpathSync(folder);
  if (!statSync(root).isDirectory()) throw new Error(`${folder} is not a folder`);
  const report = report_folder === '' ? '' : resolve(realpathSync(report_folder), 'survey.md');
  const files = textFiles(root, report).toSorted();
  if (files.length > MAX_FILES) {
    throw new Error(
      `${folder} has ${files.length} text files; at most ${MAX_FILES} are surveyed at once: choose a smaller folder`,
    );
  }
  const rest = files.filter((file) => file > after);
  const page = rest.slice(0, Math.min(Number(page_size), MAX_PAGE));
  return { files: page, total: files.length, next: rest.length > page.length ? page.at(-1) : null };
}

/** Paths below the root with `/` between their parts. Links are not followed, binary files are left out. */
function textFiles(root, report) {
  const found = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = entriesOf(root, folder);
    // A folder that can't be listed is reported like a file that can't be read.
    if (entries === undefined) found.push(folder);
    for (const entry of entries ?? []) {
      const path = `${folder}${entry.name}`;
      const full = join(root, path);
      if (entry.isDirectory() && !isSkipped(path, entry.name)) folders.push(`${path}/`);
      else if (entry.isFile() && full !== report && looksLikeText(full)) found.push(path);
    }
  }
  return found;
}

function entriesOf(root, folder) {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true });
  } catch (error) {
    if (folder === '') throw error;
    return undefined;
  }
}

function isSkipped(path, name) {
  return SKIPPED.has(name) || `/${path}`.endsWith('/.ai/threads');
}

/** No NUL among the first bytes. What can't be opened is kept: whoever reads it says why. */
function looksLikeText(file) {
  let descriptor;
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const start = Buffer.alloc(SNIFFED_BYTES);
    return !start.subarray(0, readSync(descriptor, start)).includes(0);
  } catch {
    return true;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
