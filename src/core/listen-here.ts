import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SkeinError, toFailure } from './errors.ts';

/** This machine alone: a server here is for nobody else. */
export const LOCAL_HOST = '127.0.0.1';

/** What the `host` header of a request to this machine may say: port 80 is left out by browsers. */
export function hostsAt(port: number): ReadonlySet<string> {
  const names = [LOCAL_HOST, 'localhost'];
  return new Set([...names.map((name) => `${name}:${port}`), ...(port === 80 ? names : [])]);
}

/**
 * Listens on this machine alone, at a port or (0) at any that is free; resolves to the port.
 *
 * @throws SkeinError `invalid_argument`: the port is taken, or may not be used
 */
export async function listenHere(server: Server, port: number): Promise<number> {
  try {
    server.listen({ port, host: LOCAL_HOST });
    await once(server, 'listening');
  } catch (cause) {
    const message = `Port ${port} of ${LOCAL_HOST} can't be used: ${toFailure(cause).message}`;
    throw new SkeinError('invalid_argument', message, { cause });
  }
  // A server that listens on TCP has an address of this kind.
  return (server.address() as AddressInfo).port;
}
