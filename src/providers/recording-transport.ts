import { isUtf8 } from 'node:buffer';
import type { Clock } from '../core/clock.ts';
import { codeOf } from '../core/code-of.ts';
import { type Failure, messageOf } from '../core/errors.ts';
import type { Redactor } from '../core/redactor.ts';
import type { HttpAnswer, Transport } from './http-fetch.ts';
import { recordedRequest } from './recorded-request.ts';
import { redactStream } from './redact-stream.ts';
import type { RecordedExchange, RecordedPiece } from './recording-entry.ts';
import { refusingAnswer } from './refusing-answer.ts';

/** What a recording is made with. */
export type RecorderOptions = {
  /** Its name, for messages. */
  readonly file: string;
  /** Adds a line to the file; throws if that can't be done. */
  readonly append: (line: string) => void;
  /** Told once if the file can't be written. */
  readonly onProblem: (failure: Failure) => void;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly send: Transport;
};

/**
 * A transport that writes down what passes: one line of JSON for each exchange when it is over, however it ended. A process
 * that is killed leaves whole lines and perhaps the beginning of one. No key is written: request headers are left out, and
 * secrets masked.
 *
 * Once a line can't be written the recording is over: that is told as a problem, answers on their way are passed on, since they
 * are paid for, and further requests are refused (`recording_failed`) instead of being sent.
 */
export function createRecordingTransport(options: RecorderOptions): Transport {
  const { redactor, clock, send } = options;
  const lines = createLines(options);
  return async (request) => {
    const refusal = lines.refusal();
    if (refusal) return refusal;
    const begun = { at: clock.now(), begun: clock.stopwatch() };
    const write: Write = (outcome) =>
      lines.add(() => ({ ...begun, request: recordedRequest(request, redactor), ...outcome() }));
    try {
      const answer = await send(request);
      return { ...answer, body: recorded(answer, redactor, write) };
    } catch (thrown) {
      write(() => ({ failure: failureOf(thrown, redactor) }));
      throw thrown;
    }
  };
}

type Lines = {
  /** Never throws, nor does what makes the exchange: what it is called for goes on. Nothing is made once the recording is over. */
  readonly add: (exchange: () => RecordedExchange) => void;
  /** What is answered to a request once a line could not be written. */
  readonly refusal: () => HttpAnswer | undefined;
};

function createLines({ file, append, onProblem }: RecorderOptions): Lines {
  let problem: string | undefined;
  return {
    add: (exchange) => {
      // The last line may be there in part: it is left out by whoever reads it, as long as nothing follows.
      if (problem !== undefined) return;
      try {
        append(JSON.stringify(exchange()));
      } catch (thrown) {
        problem = `The recording ${file} can't be written, and ends before this: ${messageOf(thrown)}`;
        onProblem({ code: 'not_available', message: problem, where: { file } });
      }
    },
    refusal: () =>
      problem === undefined
        ? undefined
        : refusingAnswer({ type: 'RecordingError', code: 'recording_failed', message: problem }),
  };
}

type Write = (outcome: () => Pick<RecordedExchange, 'response' | 'failure'>) => void;

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
    write(() => {
      const { status } = answer;
      const response = { status, headers: keptHeaders(answer, redactor), pieces: recordPieces(pieces, redactor) };
      return { response, ...(failure && { failure }) };
    });
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
