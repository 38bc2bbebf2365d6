import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { existingPath, shownPath } from './project-path.js';

export const __version__ = '1.1.0';
export const __tool_type__ = 'node';
export const __executor_id__ = 'rye/core/runtimes/node_runtime';
export const __category__ = 'rye/file-system';
export const __tool_description__ = 'List a folder of the project: names, types and sizes.';
export const __idempotent__ = true;

export const CONFIG_SCHEMA = {
  type: 'object',
  properties: {
    path: {
      type: 'string',
      minLength: 1,
      default: '.',
      description: 'Path of the folder, relative to the project root.',
    },
  },
  additionalProperties: false,
};

const MAX_ENTRIES = 1000;

export function execute({ path = '.' }, projectPath) {
  const folder = existingPath(path, projectPath);
  if (!lstatSync(folder).isDirectory()) throw new Error(`${path} is not a folder`);
  const found = readdirSync(folder, { withFileTypes: true }).toSorted((left, right) =>
    left.name < right.name ? -1 : 1,
  );
  return {
    path: shownPath(folder, projectPath),
    total: found.length,
    truncated: found.length > MAX_ENTRIES,
    // What is long stands last: if the answer is cut, nothing else is missing.
    entries: found.slice(0, MAX_ENTRIES).map((entry) => describe(folder, entry)),
  };
}

function describe(folder, entry) {
  if (entry.isDirectory()) return { name: entry.name, type: 'directory' };
  if (entry.isSymbolicLink()) return { name: entry.name, type: 'link' };
  if (!entry.isFile()) return { name: entry.name, type: 'other' };
  const status = lstatSync(join(folder, entry.name), { throwIfNoEntry: false });
  return { name: entry.name, type: 'file', size: status?.size ?? 0 };
}
