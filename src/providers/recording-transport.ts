import { isUtf8 } from 'node:buffer';
import { openSync, writeSync } from 'node:fs';
import type { Clock } from '../core/clock.ts';
import { codeOf } from '../core/code-of.ts';
import { messageOf } from '../core/errors.ts';
import type { Redactor } from '../core/redactor.ts';
import type { HttpAnswer, Transport } from './http-fetch.ts';
import { recordedRequest } from './recorded-request.ts';
import { redactStream } from './redact-stream.ts';
import type { RecordedExchange, RecordedPiece } from './recording-entry.ts';

/** What a recording is made with. */
export type RecorderOptions = {
  /** Made anew, readable by its owner alone. */
  readonly file: string;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly send: Transport;
};

/**
 * A transport that writes down what passes: one line of JSON for each exchange when it is over, however it ended. A process
 * that is killed leaves whole lines and perhaps the beginning of one. No key is written: request headers are left out, and
 * secrets masked.
 *
 * @throws SkeinError or an error of the file system if the file can't be made
 */
export function createRecordingTransport({ file, redactor, clock, send }: RecorderOptions): Transport {
  const opened = openSync(file, 'ax', 0o600);
  return async (request) => {
    const at = clock.now();
    const write = (outcome: Omit<RecordedExchange, 'at' | 'request'>): void => {
      writeAll(opened, `${JSON.stringify({ at, request: recordedRequest(request, redactor), ...outcome })}\n`);
    };
    try {
      const answer = await send(request);
      return { ...answer, body: recorded(answer, redactor, write) };
    } catch (thrown) {
      write({ failure: failureOf(thrown, redactor) });
      throw thrown;
    }
  };
}

type Write = (outcome: Omit<RecordedExchange, 'at' | 'request'>) => void;

/** Passes the body on, and writes it down when it is over or nobody wants more of it. */
async function* recorded(answer: HttpAnswer, redactor: Redactor, write: Write): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let failure: RecordedExchange['failure'] = { message: 'the rest of the answer was not read', code: 'ABORTED' };
  try {
    for await (const piece of answer.body) {
      pieces.push(piece);
      yield piece;
    }
    failure = undefined;
  } catch (thrown) {
    failure = failureOf(thrown, redactor);
    throw thrown;
  } finally {
    const { status } = answer;
    const response = { status, headers: keptHeaders(answer, redactor), pieces: recordPieces(pieces, redactor) };
    write({ response, ...(failure && { failure }) });
  }
}

/** Where a secret is masked, the whole body becomes one piece: it may have been cut anywhere. */
function recordPieces(pieces: readonly Uint8Array[], redactor: Redactor): readonly RecordedPiece[] {
  const whole = Buffer.concat(pieces);
  const isText = isUtf8(whole);
  const text = whole.toString(isText ? 'utf8' : 'latin1');
  const clean = redactStream(text, redactor);
  if (clean === text) return pieces.map(recordPiece);
  return [isText ? clean : { base64: Buffer.from(clean, 'latin1').toString('base64') }];
}

/** A piece may begin or end in the middle of a character. */
function recordPiece(piece: Uint8Array): RecordedPiece {
  const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  return isUtf8(bytes) ? bytes.toString('utf8') : { base64: bytes.toString('base64') };
}

/** Those that adapters and retries look at. */
const KEPT = /^(?:content-type|retry-after(?:-ms)?|(?:x-)?request-id|[a-z-]*ratelimit-[a-z-]+)$/;

function keptHeaders({ headers }: HttpAnswer, redactor: Redactor): Readonly<Record<string, string>> {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    value !== undefined && KEPT.test(name) ? [[name, redactor.text([value].flat().join(', '))] as const] : [],
  );
  return Object.fromEntries(kept);
}

function failureOf(thrown: unknown, redactor: Redactor): NonNullable<RecordedExchange['failure']> {
  const message = redactor.text(messageOf(thrown));
  const code = codeOf(thrown);
  return { message, ...(code !== undefined && { code }) };
}

/** At once and whole: nothing of a line waits in memory for a process that may be killed. */
function writeAll(opened: number, line: string): void {
  const bytes = Buffer.from(line, 'utf8');
  for (let written = 0; written < bytes.length;) written += writeSync(opened, bytes, written);
}
