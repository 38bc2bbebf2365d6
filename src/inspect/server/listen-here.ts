import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SkeinError, toFailure } from '../../core/errors.ts';

/**
 * Listens on this machine alone, at a port or (0) at any that is free; resolves to the port.
 *
 * @throws SkeinError `invalid_argument`: the port is taken, or may not be used
 */
export async function listenHere(server: Server, port: number): Promise<number> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (cause) {
    const message = `Port ${port} of 127.0.0.1 can't be used: ${toFailure(cause).message}`;
    throw new SkeinError('invalid_argument', message, { cause });
  }
  // A server that listens on TCP has an address of this kind.
  return (server.address() as AddressInfo).port;
}
