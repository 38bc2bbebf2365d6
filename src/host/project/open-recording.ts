import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { SkeinError } from '../../core/errors.ts';
import type { Recording } from '../../core/worker-task.ts';
import type { RuntimeOptions } from '../runtime-options.ts';

/**
 * What a runtime records or replays, if it does. The folder of a new recording is made, readable by its owner alone.
 *
 * @throws SkeinError `invalid_argument` for both at once, a recording that is there already, and one to be replayed that is not
 */
export function openRecording({ record, replay }: Pick<RuntimeOptions, 'record' | 'replay'>): Recording | undefined {
  if (record !== undefined && replay !== undefined) {
    throw new SkeinError('invalid_argument', 'A run is recorded or replayed, not both');
  }
  if (record !== undefined) return { mode: 'record', path: newFolder(resolve(record)) };
  return replay === undefined ? undefined : { mode: 'replay', path: existing(resolve(replay)) };
}

function newFolder(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new SkeinError('invalid_argument', 'The folder of the recording can not be made', {
      where: { file: path },
      cause,
    });
  }
  // What two runs asked would be mixed.
  if (!readdirSync(path).some((name) => name.endsWith('.jsonl'))) return path;
  throw new SkeinError('invalid_argument', 'The folder has a recording already', { where: { file: path } });
}

function existing(path: string): string {
  if (existsSync(path)) return path;
  throw new SkeinError('invalid_argument', 'There is no such recording', { where: { file: path } });
}
