import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { Agent, buildConnector } from 'undici';
import { SkeinError } from '../core/errors.ts';
import type { AddressRule } from './address-rules.ts';

/** Finds all addresses of a host name. */
export type HostLookup = (
  host: string,
  options: LookupOptions & { readonly all: true },
  found: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** The host names of the machine's resolver. */
export const systemHosts: HostLookup = (host, options, found) => systemLookup(host, options, found);

/** Whom to ask for addresses, and which may be connected to. */
export type ConnectRules = { readonly allows: AddressRule; readonly lookup: HostLookup };

/**
 * A connection pool for one call that connects to allowed addresses only. The addresses that are judged are those that
 * are connected to: a name is looked up once, by the connection itself, so that it can't mean another place a moment
 * later, and the address of the open socket is looked at again before a byte is sent.
 */
export async function createGuardedAgent(rules: ConnectRules, timeoutMs: number): Promise<Agent> {
  const undici = await import('undici');
  const plain = undici.buildConnector({ timeout: timeoutMs, lookup: guardedLookup(rules), maxCachedSessions: 0 });
  return new undici.Agent({ connect: guardedConnect(plain, rules), headersTimeout: 0, bodyTimeout: 0, pipelining: 0 });
}

function guardedConnect(connect: buildConnector.connector, { allows }: ConnectRules): buildConnector.connector {
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !allows(host)) return callback(refusedAddress(host, [host]), null);
    return connect(options, (...answer) => {
      const [error, socket] = answer;
      if (error !== null) return callback(error, null);
      if (allows(addressOf(socket))) return callback(null, socket);
      socket.destroy();
      return callback(refusedAddress(host, [addressOf(socket)]), null);
    });
  };
}

function addressOf(socket: Socket): string {
  return socket.remoteAddress ?? '';
}

/** What `net.connect` asks: of a name's addresses it gets only the allowed ones. */
function guardedLookup({ allows, lookup }: ConnectRules): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, []);
      const allowed = addresses.filter(({ address }) => allows(address));
      const [first] = allowed;
      if (first === undefined) {
        return done(
          refusedAddress(
            host,
            addresses.map(({ address }) => address),
          ),
          [],
        );
      }
      return options.all === true ? done(null, allowed) : done(null, first.address, first.family);
    });
  };
}

function refusedAddress(host: string, addresses: readonly string[]): SkeinError {
  const at = addresses.includes(host) ? '' : ` is at ${addresses.join(', ') || 'no address'}, which`;
  const message =
    `${host}${at} is not on the public internet; ` +
    'list its range under tools.allow_private in config/agent.yaml of the user space to allow it';
  return new SkeinError('permission_denied', message, { detail: { reason: 'private_address' } });
}
