import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import type { Failure } from '../core/errors.ts';
import type { Redactor } from '../core/redactor.ts';
import type { Recording } from '../core/worker-task.ts';
import { appendLines } from './append-lines.ts';
import { createFetch, createHttpTransport, type Fetch } from './http-fetch.ts';
import { readRecording } from './read-recording.ts';
import { createRecordingTransport } from './recording-transport.ts';
import { createReplayTransport } from './replay-transport.ts';

/** What a worker's `fetch` needs to write or read a recording. */
export type RecordedFetchOptions = {
  readonly recording: Recording;
  /** Number of the worker: each writes to its own file. */
  readonly index: number;
  readonly redactor: Redactor;
  readonly clock: Clock;
  /** Most connections to one server. */
  readonly connections: number;
  /** Told if the recording can't be written. */
  readonly onProblem: (failure: Failure) => void;
};

/**
 * A `fetch` that records to `<path>/worker-<index>.jsonl`, or answers from what was recorded.
 *
 * @throws SkeinError `invalid_argument` for what is no recording, or an error of the file system if the file can't be made
 */
export function createRecordedFetch(options: RecordedFetchOptions): Fetch {
  const { recording, index, redactor, connections } = options;
  const { mode, path } = recording;
  if (mode === 'replay') return createFetch({ transport: createReplayTransport(readRecording(path), redactor) });
  const file = join(path, `worker-${index}.jsonl`);
  const send = createHttpTransport(connections);
  return createFetch({ transport: createRecordingTransport({ ...options, file, append: appendLines(file), send }) });
}
