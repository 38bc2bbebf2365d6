import { chmodSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';
import type { Clock } from '../../core/clock.ts';
import { SkeinError, toFailure, type Failure, messageOf } from '../../core/errors.ts';
import { serveConnection, type ServedConnection, type ServedOperations } from './control-socket-connection.ts';
import { clearPlace, preparePlace, socketPlaces, type SocketPlace } from './control-socket-place.ts';
import { CONTROL_VERSION, toLine } from './control-socket-protocol.ts';

/** The control socket of a runtime (architecture). */
export interface ControlSocket {
  /** Takes no more connections, lets what is asked be answered for a moment, and removes the socket. */
  close(): Promise<void>;
}

/** What a control socket is made from. */
export type ControlSocketOptions = {
  /** `.ai/threads` of the project, whose lock the caller holds: a socket that is left there is nobody's. */
  readonly folder: string;
  readonly operations: ServedOperations;
  readonly clock: Clock;
  readonly problem: (failure: Failure) => void;
};

/** Connections at a time; further ones are told so. */
const MAX_CONNECTIONS = 256;

/** How long a close waits for answers that are on their way. */
const CLOSE_MS = 1_000;

/**
 * Opens the control socket of a project, for its owner only. It does not keep a process alive.
 *
 * @throws SkeinError `project_unwritable`: it can be opened nowhere
 */
export async function openControlSocket(options: ControlSocketOptions): Promise<ControlSocket> {
  const connections = new Set<ServedConnection>();
  const server = createServer((socket) => accept(socket, connections, options));
  const place = await listenSomewhere(server, options.folder);
  server.on('error', (error) => options.problem(toFailure(error)));
  server.unref();
  return { close: () => closeAll(server, connections, { ...options, place }) };
}

/** Some file systems have no sockets: the next place may be on another. */
async function listenSomewhere(server: Server, folder: string): Promise<SocketPlace> {
  let cause: unknown;
  for (const place of socketPlaces({ folder })) {
    try {
      await openPlace(server, folder, place);
      return place;
    } catch (thrown) {
      cause = thrown;
    }
  }
  const message = `The control socket can't be opened (controlSocket: false does without): ${messageOf(cause)}`;
  throw new SkeinError('project_unwritable', message, { where: { file: folder }, cause });
}

/** Of a place that could not be opened nothing is left, so that the server is free for the next one. */
async function openPlace(server: Server, folder: string, place: SocketPlace): Promise<void> {
  preparePlace(folder, place);
  try {
    await listen(server, place);
  } catch (thrown) {
    if (server.listening) await stopListening(server);
    clearPlace(folder, place);
    throw thrown;
  }
}

function accept(socket: Socket, connections: Set<ServedConnection>, { operations, clock }: ControlSocketOptions): void {
  if (connections.size >= MAX_CONNECTIONS) {
    const failure = { code: 'not_available', message: `There are ${MAX_CONNECTIONS} connections already` } as const;
    socket.on('error', () => socket.destroy());
    socket.write(toLine({ version: CONTROL_VERSION, failure }));
    // It is not read from: only we can end it.
    return socket.destroySoon();
  }
  const connection = serveConnection(socket, { operations, clock });
  connections.add(connection);
  socket.once('close', () => connections.delete(connection));
}

/** No other user can connect at any moment: the socket is made under a mask that leaves nothing to them. */
async function listen(server: Server, { path, kind }: SocketPlace): Promise<void> {
  // The mask is the whole process's: it is put back in the same tick, and can't be set outside of the main thread.
  const mask = isMainThread ? process.umask(0o077) : undefined;
  const listening = new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
  if (mask !== undefined) process.umask(mask);
  await listening;
  if (kind !== 'pipe') chmodSync(path, 0o600);
}

type Closing = ControlSocketOptions & { readonly place: SocketPlace };

async function closeAll(
  server: Server,
  connections: ReadonlySet<ServedConnection>,
  { folder, place, clock }: Closing,
): Promise<void> {
  const closed = stopListening(server);
  for (const connection of connections) connection.finish();
  const timer = clock.setTimer(CLOSE_MS, () => {
    for (const connection of connections) connection.destroy();
  });
  await closed;
  clock.clearTimer(timer);
  clearPlace(folder, place);
}

/** Takes no more connections; resolves when those there are have ended. */
function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
