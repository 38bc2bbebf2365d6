import { join } from 'node:path';
import type { Clock } from '../core/clock.ts';
import type { Redactor } from '../core/redactor.ts';
import type { Recording } from '../core/worker-task.ts';
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
};

/**
 * A `fetch` that records to `<path>/worker-<index>.jsonl`, or answers from what was recorded.
 *
 * @throws SkeinError `invalid_argument` for what is no recording
 */
export function createRecordedFetch(options: RecordedFetchOptions): Fetch {
  const { recording, index, redactor, clock, connections } = options;
  const { mode, path } = recording;
  if (mode === 'replay') return createFetch({ transport: createReplayTransport(readRecording(path), redactor) });
  const file = join(path, `worker-${index}.jsonl`);
  const send = createHttpTransport(connections);
  return createFetch({ transport: createRecordingTransport({ file, redactor, clock, send }) });
}
