import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Scenario, Wire } from './model-scenario.ts';

/** What a provider sent. */
export type SeenRequest = {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Parsed JSON. */
  readonly body: Readonly<Record<string, unknown>>;
};

/** A model server on the loopback interface that plays one scenario for every request. */
export interface ModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:port` */
  readonly origin: string;
  readonly requests: readonly SeenRequest[];
  /** Settles when the first request has been read and answered as far as the scenario goes. */
  readonly answered: Promise<void>;
  /** Settles when the first request's connection is gone. */
  readonly closed: Promise<void>;
}

/** Starts the server. */
export async function startModelServer(wire: Wire, scenario: Scenario): Promise<ModelServer> {
  const requests: SeenRequest[] = [];
  const answered = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    response.once('close', () => closed.resolve());
    void readJson(request).then(async (body) => {
      requests.push({ path: request.url, headers: request.headers, body });
      await play({ wire, scenario, response });
      answered.resolve();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // A TCP server's address is never a string.
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    answered: answered.promise,
    closed: closed.promise,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

async function readJson(request: IncomingMessage): Promise<SeenRequest['body']> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return JSON.parse(Buffer.concat(pieces).toString('utf8')) as SeenRequest['body'];
}

type Play = { readonly wire: Wire; readonly scenario: Scenario; readonly response: ServerResponse };

async function play({ wire, scenario, response }: Play): Promise<void> {
  if (scenario.kind === 'silent') return;
  if (scenario.kind === 'error') {
    response.writeHead(scenario.status, { 'content-type': 'application/json', ...scenario.headers });
    response.end(wire.errorBody(scenario.type, scenario.message));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'req_1' });
  await write(response, eventsOf(wire, scenario));
  if (scenario.kind !== 'broken_text' || scenario.ending === 'end') response.end();
  else if (scenario.ending === 'reset') response.socket?.resetAndDestroy();
  else if (scenario.ending === 'drop') response.socket?.end();
}

function eventsOf(wire: Wire, scenario: Exclude<Scenario, { kind: 'silent' | 'error' }>): readonly string[] {
  if (scenario.kind === 'answer') return wire.answer(scenario);
  if (scenario.kind === 'broken_text') return wire.begunText(scenario.texts);
  if (scenario.kind === 'cut_tool') return wire.begunTool(scenario.json, scenario.closed);
  return wire.errorEvent(scenario.type, scenario.message);
}

/** One write per event, each flushed to the socket before the next. */
async function write(response: ServerResponse, events: readonly string[]): Promise<void> {
  for (const event of events) {
    await new Promise<void>((resolve) => {
      response.write(event, () => resolve());
    });
  }
}
