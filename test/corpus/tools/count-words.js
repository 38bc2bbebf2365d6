// rye:unsigned
import { readFileSync } from 'node:fs';

export const __version__ = '1.0.0';
export const __tool_type__ = 'node';
export const __executor_id__ = 'rye/core/runtimes/node_runtime';
export const __category__ = 'text';
export const __tool_description__ = 'Counts the words of a file';
export const __idempotent__ = true;
export const __timeout_seconds__ = 2.5;

export const CONFIG_SCHEMA = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1, description: 'Which file' },
    unit: { enum: ['word', 'line'], default: 'word' },
  },
  required: ['path'],
  additionalProperties: false,
};

export function execute({ path }) {
  return { words: readFileSync(path, 'utf8').split(/\s+/).length };
}
