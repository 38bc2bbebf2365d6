import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { systemClock, type Clock } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import { jsonOrUndefined } from '../../core/json-or-undefined.ts';
import { LOCAL_HOST, listenHere, createAddressCheck, stopListening } from '../../core/listen-here.ts';
import { createAnswering, type ServedScripts, type WireRequest } from './answer-request.ts';
import { planError } from './plan-answer.ts';
import { playAnswer, type Plan } from './play-answer.ts';
import { readBody } from './read-body.ts';
import { findRoute, type Route } from './routes.ts';

/** Options of {@link startLlmServer}. */
export type LlmServerOptions = ServedScripts & {
  /** Default: one that is free. */
  readonly port?: number | undefined;
  /** How many of the last requests are kept for `requests()`; default 1000. */
  readonly keepRequests?: number | undefined;
  /** Of delays; default: the machine's. */
  readonly clock?: Clock | undefined;
};

/** A request as it came, with the key that the client sent among its headers. */
export type SeenRequest = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed JSON. */
  readonly body: unknown;
};

/** A scripted model that listens. */
export interface LlmServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`: the base URL for Anthropic and Gemini; OpenAI's ends in `/v1`. */
  readonly origin: string;
  /** The last requests, oldest first. */
  requests(): readonly SeenRequest[];
  /** Ends all connections, those with an answer under way too. */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 16 * 1024 * 1024;
const MAX_HEADER_BYTES = 32 * 1024;
/** Longer than a client keeps an idle connection, so that none is closed while it is sent to. */
const KEEP_ALIVE_MS = 60_000;

/**
 * Serves scripts as a model over HTTP, on this machine only: OpenAI Chat Completions and Responses, Anthropic Messages and
 * Gemini, streamed or not. Any key will do. A request that the real API would refuse is refused in that API's form.
 *
 * @throws SkeinError `invalid_config` for a wrong script, `invalid_argument` for a port that can't be had
 */
export async function startLlmServer(options: LlmServerOptions): Promise<LlmServer> {
  const answer = createAnswering(options);
  const seen = createJournal(options.keepRequests ?? 1000);
  const { clock = systemClock } = options;
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS });
  const port = await listenHere(server, options.port ?? 0);
  const whyForeign = createAddressCheck(port);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const play = (plan: Plan): void => playSafely(response, plan, clock);
    const route = admit(request, whyForeign);
    if ('status' in route) return play(route);
    readBody(request, MAX_BODY_BYTES, (text) => {
      if (text === undefined) return play(lastPlan(route, 413, `A request may have ${MAX_BODY_BYTES} bytes`));
      const body = jsonOrUndefined(text);
      const { headers } = request;
      seen.add({ path: request.url ?? '', headers, body });
      play(planSafely(answer, { ...route, body, headers }));
    });
  });
  const close = (): Promise<void> => stopListening(server);
  return { origin: `http://${LOCAL_HOST}:${port}`, requests: seen.all, close, [Symbol.asyncDispose]: close };
}

type AddressCheck = ReturnType<typeof createAddressCheck>;

function admit({ headers, method, url = '' }: IncomingMessage, whyForeign: AddressCheck): Route | Plan {
  const foreign = whyForeign(headers);
  if (foreign !== undefined) return lastPlan(PLAIN, 403, foreign);
  const route = findRoute(url);
  if (route === undefined) return lastPlan(PLAIN, 404, `There is no ${url}`);
  return method === 'POST' ? route : lastPlan(route, 405, `${method} is not allowed here`);
}

/** The form of an error before it is known whose it is. */
const PLAIN = {
  wire: { errorBody: ({ message }: { readonly message: string }) => JSON.stringify({ error: { message } }) },
};

/** An error after which nothing more of the connection is read. */
function lastPlan({ wire }: Pick<Route, 'wire'> | typeof PLAIN, status: number, message: string): Plan {
  const plan = planError({ status, message }, wire);
  return { ...plan, headers: { ...plan.headers, connection: 'close' } };
}

/** A function that is a script may throw anything; the server goes on. */
function planSafely(answer: (request: WireRequest) => Plan, request: WireRequest): Plan {
  try {
    return answer(request);
  } catch (thrown) {
    return planError({ status: 500, message: messageOf(thrown) }, request.wire);
  }
}

/** A script may name a header that is none: it is found out when the first part is sent, which may be later. */
function playSafely(response: ServerResponse, plan: Plan, clock: Clock): void {
  const safely = (play: () => void): void => {
    try {
      play();
    } catch (thrown) {
      playAnswer(response, planError({ status: 500, message: messageOf(thrown) }, PLAIN.wire), clock);
    }
  };
  const setTimer: Clock['setTimer'] = (delayMs, fire) => clock.setTimer(delayMs, () => safely(fire));
  safely(() => playAnswer(response, plan, { ...clock, setTimer }));
}

type Journal = { readonly add: (request: SeenRequest) => void; readonly all: () => readonly SeenRequest[] };

function createJournal(size: number): Journal {
  let kept: SeenRequest[] = [];
  return {
    add: (request) => {
      if (size === 0) return;
      kept.push(request);
      // Seldom, so that it costs nothing per request.
      if (kept.length >= 2 * size) kept = kept.slice(-size);
    },
    all: () => kept.slice(-size || kept.length),
  };
}
