import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { z } from 'zod';
import { systemClock, type Clock } from '../../core/clock.ts';
import { codeOf } from '../../core/code-of.ts';
import { fromFailure, SkeinError, messageOf, type SkeinErrorOptions } from '../../core/errors.ts';
import { jsonOrUndefined } from '../../core/json-or-undefined.ts';
import { createLineSplitter } from '../../core/line-splitter.ts';
import { OPERATIONS, refusalSchema, type OperationAnswer, type OperationName } from '../../core/operations.ts';
import { faultLine } from '../../core/zod-fault.ts';
import { lockHolder } from '../../store/lock.ts';
import { findPlace } from './control-socket-place.ts';
import {
  CONTROL_VERSION,
  MAX_REPLY_BYTES,
  replySchema,
  toLine,
  type ControlReply,
  type ControlRequest,
} from './control-socket-protocol.ts';
import { DEADLINE_MS } from './deadlines.ts';

/** A connection to the runtime that holds a project. */
export interface ControlSocketClient {
  /**
   * Asks the runtime; `deadlineMs`: how long at most (default 30 s), and the runtime begins nothing after that; `changes`: whether
   * something may have been done where there is no answer.
   *
   * @throws SkeinError what the runtime refuses; `invalid_argument`: the input is no JSON; `deadline_exceeded`;
   * `runtime_closed`: it has gone. With `detail.maybe_done` it may have been carried out, or be so later
   */
  call(name: OperationName, input: unknown, options?: AskOptions): Promise<OperationAnswer<OperationName>>;
  /** Asks for something else by its name; the answer is the runtime's as it is. */
  ask(name: string, input: unknown, options?: AskOptions): Promise<unknown>;
  /** Something was not answered in time, and nothing has been heard of the runtime since. */
  readonly isSilent: boolean;
  /** False once the runtime has closed it, for being idle or since it has ended. */
  readonly isOpen: boolean;
  close(): void;
}

/** How something is asked. */
export type AskOptions = { readonly deadlineMs?: number; readonly changes?: boolean };

/** What a connection is made with. */
export type ClientOptions = {
  /** `.ai/threads` of the project. */
  readonly folder: string;
  readonly clock?: Clock;
};

/** The system's words for "nobody listens there": there is no socket, or it is left from a runtime that is gone. */
const NOBODY: ReadonlySet<unknown> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK']);

/** Connects to the runtime that holds a project; undefined: there is none. @throws SkeinError `store_failed` */
export async function connectControlSocket({
  folder,
  clock = systemClock,
}: ClientOptions): Promise<ControlSocketClient | undefined> {
  const place = existsSync(folder) ? findPlace({ folder }) : undefined;
  if (!place) return undefined;
  const socket = connect(place.path);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
  } catch (thrown) {
    const code = codeOf(thrown);
    // A project of somebody else may be read, and its socket be left from a runtime that is gone.
    const isLeft = code === 'EACCES' && lockHolder(folder) === undefined;
    if (NOBODY.has(code) || isLeft) return undefined;
    const message = `The runtime can't be reached: ${messageOf(thrown)}`;
    throw new SkeinError('store_failed', message, { cause: thrown });
  }
  return createClient(socket, clock);
}

type Asked = {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (why: SkeinError) => void;
  readonly changes: boolean;
};

function createClient(socket: Socket, clock: Clock): ControlSocketClient {
  const open = new Map<number, Asked>();
  let lastId = 0;
  let isSilent = false;
  const end = (why: (asked: Asked) => SkeinError): void => {
    for (const asked of open.values()) asked.reject(why(asked));
    open.clear();
    socket.destroy();
  };
  const take = (reply: ControlReply): void => {
    isSilent = false;
    // Without an id it is about all that was said.
    if (reply.id === undefined) return end(() => fromFailure(failureOf(reply)));
    const asked = open.get(reply.id);
    open.delete(reply.id);
    if ('failure' in reply) asked?.reject(fromFailure(reply.failure));
    else asked?.resolve(reply.answer);
  };
  listen(socket, { take, end });
  const client: ControlSocketClient = {
    get isOpen() {
      return !socket.destroyed;
    },
    call: async (name, input, options) => parseAnswer(name, await client.ask(name, input, options)),
    get isSilent() {
      return isSilent;
    },
    async ask(name, input, { deadlineMs = DEADLINE_MS, changes = false } = {}) {
      if (socket.destroyed) throw gone({ changes: false });
      const id = ++lastId;
      // A wait may be longer than there are numbers.
      const until = Math.min(clock.now() + deadlineMs, Number.MAX_SAFE_INTEGER);
      const line = requestLine({ version: CONTROL_VERSION, id, operation: name, input, until });
      const timer = clock.setTimer(deadlineMs, () => {
        isSilent = true;
        open.get(id)?.reject(late(deadlineMs, changes));
        open.delete(id);
      });
      try {
        const answer = new Promise<unknown>((resolve, reject) => open.set(id, { resolve, reject, changes }));
        socket.write(line);
        return await answer;
      } finally {
        clock.clearTimer(timer);
      }
    },
    close: () => socket.destroy(),
  };
  return client;
}

function requestLine(request: ControlRequest): string {
  try {
    return toLine(request);
  } catch (cause) {
    const message = `The input of ${request.operation} can't be sent as JSON: ${messageOf(cause)}`;
    throw new SkeinError('invalid_argument', message, { cause });
  }
}

type Hearing = {
  readonly take: (reply: ControlReply) => void;
  readonly end: (why: (asked: Asked) => SkeinError) => void;
};

function listen(socket: Socket, { take, end }: Hearing): void {
  const splitter = createLineSplitter(MAX_REPLY_BYTES);
  socket.on('data', (bytes) => {
    const lines = splitter.push(bytes);
    if (!lines) return end(wrong(`The runtime sent a line of more than ${MAX_REPLY_BYTES} bytes`));
    for (const line of lines) {
      const reply = parseReply(line);
      if (!reply) return end(wrong('The runtime answered with something else than a reply'));
      take(reply);
    }
  });
  // `close` follows.
  socket.on('error', () => socket.destroy());
  socket.once('close', () => end(gone));
}

function failureOf(reply: ControlReply): Parameters<typeof fromFailure>[0] {
  return 'failure' in reply
    ? reply.failure
    : { code: 'internal', message: 'The runtime answered nothing in particular' };
}

function gone({ changes }: Pick<Asked, 'changes'>): SkeinError {
  return new SkeinError('runtime_closed', `The runtime has gone${changes ? MAYBE : ''}`, maybeDone(changes));
}

function late(deadlineMs: number, changes: boolean): SkeinError {
  const message = `The runtime did not answer within ${deadlineMs} ms${changes ? MAYBE : ''}`;
  return new SkeinError('deadline_exceeded', message, maybeDone(changes));
}

/** It may have begun before it went or fell silent. */
const MAYBE = ': what it was asked to do may be done, or be done later';

function maybeDone(changes: boolean): SkeinErrorOptions {
  return changes ? { detail: { maybe_done: true } } : {};
}

function wrong(message: string): () => SkeinError {
  return () => new SkeinError('internal', message);
}

/** What is no JSON is no reply. */
function parseReply(line: string): ControlReply | undefined {
  return replySchema.safeParse(jsonOrUndefined(line)).data;
}

function parseAnswer(name: OperationName, given: unknown): OperationAnswer<OperationName> {
  const { result } = OPERATIONS[name];
  const parsed = z.union([refusalSchema, result]).safeParse(given);
  if (parsed.success) return parsed.data;
  throw new SkeinError('internal', `The runtime answered ${name} with something else: ${faultLine(parsed.error)}`);
}
