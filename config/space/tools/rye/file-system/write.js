import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { shownPath, writablePath } from './project-path.js';
import { replaceFile } from './text-file.js';

export const __version__ = '1.1.0';
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

export function execute({ path, content }, projectPath) {
  const file = writablePath(path, projectPath);
  mkdirSync(dirname(file), { recursive: true });
  const created = replaceFile(file, path, () => content);
  return { path: shownPath(file, projectPath), bytes: Buffer.byteLength(content), created };
}
