import { once } from 'node:events';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SkeinError, messageOf } from './errors.ts';

/** This machine alone: a server here is for nobody else. */
export const LOCAL_HOST = '127.0.0.1';

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
    const message = `Port ${port} of ${LOCAL_HOST} can't be used: ${messageOf(cause)}`;
    throw new SkeinError('invalid_argument', message, { cause });
  }
  // A server that listens on TCP has an address of this kind.
  return (server.address() as AddressInfo).port;
}

/**
 * Makes the check that a request is for this machine, and from no page of another origin; says why not. Pages in the user's
 * browser can send requests here, too: they have another origin, or, with a name that was made to lead here, another host.
 */
export function createAddressCheck(port: number): (headers: IncomingHttpHeaders) => string | undefined {
  const hosts = hostsAt(port);
  const origins = new Set([...hosts].map((host) => `http://${host}`));
  return ({ host = '', origin }) => {
    if (!hosts.has(host)) return 'This host is not served';
    return origin === undefined || origins.has(origin) ? undefined : 'This origin is not served';
  };
}

/** What the `host` header of a request to this machine may say: port 80 is left out by browsers. */
function hostsAt(port: number): ReadonlySet<string> {
  const names = [LOCAL_HOST, 'localhost'];
  return new Set([...names.map((name) => `${name}:${port}`), ...(port === 80 ? names : [])]);
}

/** Frees the port, and ends all connections, those with an answer under way too. It may be called again. */
export async function stopListening(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
