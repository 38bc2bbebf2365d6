import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeOf } from '../../core/code-of.ts';
import { messageOf, SkeinError } from '../../core/errors.ts';
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
  // What two runs asked would be mixed.
  if (!namesIn(path).some((name) => name.endsWith('.jsonl'))) return path;
  throw new SkeinError('invalid_argument', 'The folder has a recording already', { where: { file: path } });
}

/** What is in a folder, which is made if it is not there. */
function namesIn(path: string): readonly string[] {
  try {
    makeFolders(path);
    return readdirSync(path);
  } catch (cause) {
    throw new SkeinError('invalid_argument', `The folder of the recording can not be made: ${messageOf(cause)}`, {
      where: { file: path },
      cause,
    });
  }
}

/** One by one from the first that is not there: Node's own `recursive` never returns below `/proc`. */
function makeFolders(path: string): void {
  if (existsSync(path)) return;
  makeFolders(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Somebody else has made it meanwhile.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

function existing(path: string): string {
  if (existsSync(path)) return path;
  throw new SkeinError('invalid_argument', 'There is no such recording', { where: { file: path } });
}
