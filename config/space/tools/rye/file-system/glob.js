import { lstatSync } from 'node:fs';
import { findFiles } from './find-files.js';
import { existingPath, shownPath } from './project-path.js';

export const __version__ = '1.2.0';
export const __tool_type__ = 'node';
export const __executor_id__ = 'rye/core/runtimes/node_runtime';
export const __category__ = 'rye/file-system';
export const __tool_description__ =
  'Find files of the project by pattern: * within a name, ? for one character, ** for any folders, {a,b} for either. .git and node_modules only if named.';
export const __idempotent__ = true;

export const CONFIG_SCHEMA = {
  type: 'object',
  properties: {
    pattern: {
      type: 'string',
      minLength: 1,
      maxLength: 500,
      description: 'Below path: src/**/*.{ts,tsx}',
    },
    path: {
      type: 'string',
      minLength: 1,
      default: '.',
      description: 'Folder to search in, relative to the project root.',
    },
  },
  required: ['pattern'],
  additionalProperties: false,
};

const MAX_RESULTS = 1000;

export function execute({ pattern, path = '.' }, projectPath) {
  const walk = {};
  const folder = existingPath(path, projectPath);
  if (!lstatSync(folder).isDirectory()) throw new Error(`${path} is not a folder`);
  const files = [...findFiles(folder, pattern, walk)].toSorted((left, right) => (left < right ? -1 : 1));
  // What is long stands last: if the answer is cut, nothing else is missing.
  return {
    total: files.length,
    truncated: files.length > MAX_RESULTS || walk.incomplete,
    files: files.slice(0, MAX_RESULTS).map((file) => shownPath(file, projectPath)),
  };
}
