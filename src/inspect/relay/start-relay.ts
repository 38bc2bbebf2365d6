import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { toFailure } from '../../core/errors.ts';
import type { InspectionRelay, RelayOptions } from '../../core/inspection.ts';
import { listenHere, LOCAL_HOST, createAddressCheck, stopListening } from '../../core/listen-here.ts';
import { createTokenCheck } from '../../core/token-check.ts';
import { forbidden, type Refusal } from '../server/guard.ts';
import { createInspectorPage } from './inspector-page.ts';
import { createRelayViewers, type RelayViewers } from './relay-viewers.ts';

/** So many may look on at a time. */
const MAX_VIEWERS = 8;
/** Viewers have nothing to say. */
const MAX_RECEIVED_BYTES = 1_024;

/**
 * Opens a relay on this machine alone (docs/adr/0053-inspection.md). A receiver can send no header, so that the token is in
 * the query of the address it connects to; no page has that address.
 *
 * @throws SkeinError `invalid_argument`: the port is taken, or may not be used
 */
export async function startRelay(options: RelayOptions): Promise<InspectionRelay> {
  const { stately, problem } = options;
  const token = randomBytes(32).toString('base64url');
  const viewers = createRelayViewers(options);
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_RECEIVED_BYTES, perMessageDeflate: false });
  const server = createServer();
  const port = await listenHere(server, options.port);
  const whyForeign = createAddressCheck(port);
  const page = stately ? createInspectorPage(port) : undefined;
  server.on('request', (request, response) => {
    const foreign = whyForeign(request.headers);
    if (foreign !== undefined) return refuse(response, forbidden(foreign));
    const file = request.method === 'GET' ? page?.(request.url ?? '') : undefined;
    if (!file) return refuse(response, NOTHING_HERE);
    response.writeHead(200, file.headers).end(file.body);
  });
  const judge = createUpgradeCheck({ whyForeign, token, viewers });
  server.on('upgrade', (request, socket, head) => {
    // It may be gone at any time; that it is, its WebSocket tells.
    socket.on('error', () => socket.destroy());
    const refusal = judge(request);
    if (refusal) return refuseUpgrade(socket, refusal);
    sockets.handleUpgrade(request, socket, head, (viewer) => {
      viewer.on('error', (error) => problem(toFailure(error)));
      viewer.on('close', viewers.add(viewer));
    });
  });
  return {
    url: `ws://${LOCAL_HOST}:${port}/?token=${token}`,
    page: stately ? `http://${LOCAL_HOST}:${port}/#token=${token}` : undefined,
    send: (message) => viewers.send(message),
    lost: (place) => viewers.lost(place),
    counts: () => viewers.counts(),
    async close() {
      await viewers.drained();
      viewers.close();
      for (const viewer of sockets.clients) viewer.terminate();
      await stopListening(server);
    },
  };
}

const NOTHING_HERE: Refusal = { status: 404, code: 'invalid_argument', message: 'There is nothing here' };
const TOO_MANY: Refusal = { status: 503, code: 'not_available', message: `${MAX_VIEWERS} look on already` };

type UpgradeParts = {
  readonly whyForeign: ReturnType<typeof createAddressCheck>;
  readonly token: string;
  readonly viewers: RelayViewers;
};

function createUpgradeCheck({ whyForeign, token, viewers }: UpgradeParts) {
  const isToken = createTokenCheck(token);
  return ({ headers, url = '' }: IncomingMessage): Refusal | undefined => {
    const foreign = whyForeign(headers);
    if (foreign !== undefined) return forbidden(foreign);
    const query = /^\/\?(.*)$/.exec(url)?.[1];
    if (query === undefined) return NOTHING_HERE;
    if (!isToken(new URLSearchParams(query).get('token'))) return forbidden('The token is missing or wrong');
    return viewers.size() >= MAX_VIEWERS ? TOO_MANY : undefined;
  };
}

function refuse(response: ServerResponse, { status, message }: Refusal): void {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${message}\n`);
}

/** Whoever is refused and keeps its end open would keep the server from closing: of an upgraded connection it does not know. */
function refuseUpgrade(socket: Duplex, { status, message }: Refusal): void {
  socket.once('finish', () => socket.destroy());
  const head = [`HTTP/1.1 ${status} Refused`, 'content-type: text/plain', 'connection: close'];
  socket.end(`${head.join('\r\n')}\r\n\r\n${message}\n`);
}
