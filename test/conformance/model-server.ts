import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
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
  /** Settles when so many connections are gone. */
  closedAll(count: number): Promise<void>;
}

/** Starts the server. */
export async function startModelServer(wire: Wire, scenario: Scenario): Promise<ModelServer> {
  const requests: SeenRequest[] = [];
  const answered = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const gone = createCount();
  const server = createServer((request, response) => {
    response.once('close', () => {
      closed.resolve();
      gone.add();
    });
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
    closedAll: gone.reached,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

/** Counts, and tells who waits for a count. */
function createCount() {
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  let count = 0;
  const tell = (): void => waiting.filter((one) => one.count <= count).forEach(({ resolve }) => resolve());
  return {
    add: () => {
      count += 1;
      tell();
    },
    reached: (of: number): Promise<void> =>
      new Promise((resolve) => {
        waiting.push({ count: of, resolve });
        tell();
      }),
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
  const hostile = scenario.kind === 'hostile' ? scenario : undefined;
  const headers = { 'content-type': 'text/event-stream', 'x-request-id': 'req_1', ...hostile?.headers };
  response.writeHead(hostile?.status ?? 200, headers).flushHeaders();
  await write(response, eventsOf(wire, scenario));
  if (hostile?.raw) for (const bytes of hostile.bytes) response.socket?.write(bytes);
  end(response, 'ending' in scenario ? scenario.ending : 'end');
}

function end(response: ServerResponse, how: 'stall' | 'reset' | 'end' | 'drop'): void {
  if (how === 'end') response.end();
  else if (how === 'reset') response.socket?.resetAndDestroy();
  else if (how === 'drop') response.socket?.end();
}

function eventsOf(
  wire: Wire,
  scenario: Exclude<Scenario, { kind: 'silent' | 'error' }>,
): readonly (string | Uint8Array)[] {
  if (scenario.kind === 'hostile') {
    const begun = scenario.begun ? wire.begunText(scenario.begun) : [];
    return scenario.raw ? begun : [...begun, ...scenario.bytes];
  }
  if (scenario.kind === 'answer') return wire.answer(scenario);
  if (scenario.kind === 'broken_text') return wire.begunText(scenario.texts);
  if (scenario.kind === 'cut_tool') return wire.begunTool(scenario.json, scenario.closed);
  return wire.errorEvent(scenario.type, scenario.message);
}

/** One write per event, each flushed to the socket before the next; a client that has gone ends it. */
async function write(response: ServerResponse, events: readonly (string | Uint8Array)[]): Promise<void> {
  for (const event of events) {
    if (response.destroyed) return;
    await new Promise<void>((resolve) => {
      response.write(event, () => resolve());
    });
  }
}
