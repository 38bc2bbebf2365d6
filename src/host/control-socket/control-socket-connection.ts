import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Clock, Timer } from '../../core/clock.ts';
import { invalidArgument, SkeinError, toFailure, type Failure } from '../../core/errors.ts';
import { createFifo } from '../../core/fifo.ts';
import { jsonOrUndefined } from '../../core/json-or-undefined.ts';
import { createLineSplitter } from '../../core/line-splitter.ts';
import { faultLine } from '../../core/zod-fault.ts';
import {
  CONTROL_VERSION,
  MAX_REPLY_BYTES,
  MAX_REQUEST_BYTES,
  requestSchema,
  strangeRequestSchema,
  toLine,
  type ControlRequest,
} from './control-socket-protocol.ts';

/** A connection that is served until one side ends it. */
export interface ServedConnection {
  /** Takes nothing more, and ends once what was asked is answered. */
  finish(): void;
  destroy(): void;
}

/** What a connection is served with. */
export type ConnectionOptions = { readonly operations: ServedOperations; readonly clock: Clock };

/** What can be asked for by name. @throws SkeinError what is refused */
export type ServedOperations = {
  readonly call: (name: string, input: unknown, asking: { readonly signal: AbortSignal }) => Promise<unknown>;
};

/** Requests of one connection that are worked on at a time; the others wait in line. */
const MAX_OPEN = 16;

/** Characters of lines that wait, from which on nothing more is read; until then it is noticed if the peer leaves. */
const MAX_WAITING = 65_536;

/** How long a connection may say nothing, take for a line, or leave answers unread, while nothing is worked on. */
const IDLE_MS = 30_000;

/**
 * Serves one peer: a request a line, answered when it is done, in any order. What is no request is told so, and closes
 * this connection and no other. A peer that leaves has given up what it asked for. What is read too late, since this process
 * was stopped, say, is not begun.
 */
export function serveConnection(socket: Socket, { operations, clock }: ConnectionOptions): ServedConnection {
  const splitter = createLineSplitter(MAX_REQUEST_BYTES);
  const gone = new AbortController();
  const waiting = createWaitingLines();
  let open = 0;
  let isEnding = false;
  const idle = createIdleTimer(clock, () => socket.destroy());
  // What a peer has asked may be answered long after it has left: there is nothing to wait for then.
  const rest = (): void => (open > 0 || socket.destroyed ? idle.stop() : idle.restart());
  const say = (line: string): void => {
    if (socket.writable) socket.write(line);
  };
  const end = (): void => {
    isEnding = true;
    waiting.clear();
    if (open === 0) socket.end();
  };
  const refuse = (failure: Failure, id?: number): void => {
    say(toLine({ version: CONTROL_VERSION, ...(id !== undefined && { id }), failure }));
    end();
  };
  const serve = async (request: ControlRequest): Promise<void> => {
    open++;
    rest();
    // That a peer has left is read one turn of the event loop after what it has said.
    await setImmediate();
    await setImmediate();
    if (!socket.destroyed) say(await answer(operations, { ...request, signal: gone.signal, now: clock.now() }));
    open--;
    if (isEnding && open === 0) socket.end();
    rest();
    next();
  };
  const isFree = (): boolean => !isEnding && open < MAX_OPEN && !socket.writableNeedDrain;
  const next = (): void => {
    while (waiting.size() > 0 && isFree()) {
      const read = readRequest(waiting.shift());
      if ('failure' in read) refuse(read.failure, read.id);
      // It answers whatever happens.
      else void serve(read);
    }
    if (waiting.size() >= MAX_WAITING || (waiting.size() > 0 && socket.writableNeedDrain)) socket.pause();
    else socket.resume();
  };

  socket.unref();
  socket.on('data', (bytes) => {
    // Within a line the time goes on from its beginning.
    if (!splitter.isOpen()) rest();
    const lines = isEnding ? [] : splitter.push(bytes);
    if (!lines) return refuse(invalidArgument(`A line is longer than ${MAX_REQUEST_BYTES} bytes`));
    for (const line of lines) waiting.push(line);
    next();
  });
  socket.on('drain', next);
  // One that reads on can't be told from one that is gone.
  socket.on('end', () => socket.destroy());
  // A peer that is gone gets no answer; `close` follows.
  socket.on('error', () => socket.destroy());
  socket.once('close', () => {
    idle.stop();
    isEnding = true;
    gone.abort();
  });
  rest();
  return { finish: end, destroy: () => socket.destroy() };
}

type WaitingLines = { push(line: string): void; shift(): string; clear(): void; size(): number };

/** Lines that wait to be worked on, and their characters, each line's end among them: an empty one takes room, too. */
function createWaitingLines(): WaitingLines {
  let lines = createFifo<string>();
  let size = 0;
  return {
    push(line) {
      lines.push(line);
      size += line.length + 1;
    },
    shift() {
      const line = lines.shift() ?? '';
      size -= line.length + 1;
      return line;
    },
    clear() {
      lines = createFifo();
      size = 0;
    },
    size: () => size,
  };
}

function createIdleTimer(clock: Clock, fire: () => void): { restart(): void; stop(): void } {
  let timer: Timer | undefined;
  const stop = (): void => {
    if (timer !== undefined) clock.clearTimer(timer);
  };
  return {
    stop,
    restart() {
      stop();
      timer = clock.setTimer(IDLE_MS, fire);
    },
  };
}

type Asked = ControlRequest & { readonly signal: AbortSignal; readonly now: number };

/** Never rejects: what is thrown is a reply, too, and so is what keeps an answer from being sent. */
async function answer(operations: ServedOperations, asked: Asked): Promise<string> {
  const { id, operation, input, signal, until, now } = asked;
  try {
    if (now > until) throw new SkeinError('deadline_exceeded', 'It was asked too late, and has not been begun');
    const given = await operations.call(operation, input, { signal });
    const line = toLine({ version: CONTROL_VERSION, id, answer: given });
    // Whoever is sent more than it reads drops the connection.
    if (Buffer.byteLength(line) <= MAX_REPLY_BYTES) return line;
    throw new SkeinError('not_available', `The answer is longer than ${MAX_REPLY_BYTES} bytes: ask for less`);
  } catch (thrown) {
    return toLine({ version: CONTROL_VERSION, id, failure: toFailure(thrown) });
  }
}

function readRequest(line: string): ControlRequest | { readonly failure: Failure; readonly id?: number } {
  const read = jsonOrUndefined(line);
  const request = requestSchema.safeParse(read);
  if (request.success) return request.data;
  const { version, id } = strangeRequestSchema.safeParse(read).data ?? {};
  const isForeign = version !== undefined && version !== CONTROL_VERSION;
  const failure = isForeign
    ? otherVersion(version)
    : invalidArgument(`This is no request: ${faultLine(request.error)}`);
  return { failure, ...(id !== undefined && { id }) };
}

/** Nothing is wrong with what was asked for. */
function otherVersion(version: unknown): Failure {
  const message = `This runtime speaks version ${CONTROL_VERSION} of the control protocol, not ${JSON.stringify(version)}`;
  return { code: 'not_available', message };
}
