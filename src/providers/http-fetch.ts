/** The part of `fetch` the SDKs use. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** `RequestInit` with a hook for every piece of the answer's body; other `fetch` implementations ignore it. */
type WatchedInit = RequestInit & { readonly onBytes?: () => void };

/** A line longer than this blocks the event loop for seconds inside an SDK's parser. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;
/** No model answers with more. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Of an error's body. */
const MAX_ERROR_BYTES = 64 * 1024;

/** A request as it leaves; its headers have the key. */
export type HttpRequest = {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly signal: AbortSignal | undefined;
};

/** An answer as it arrives, its body piece by piece. */
export type HttpAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
};

/** Where the bytes pass, below all adapters. */
export type Transport = (request: HttpRequest) => Promise<HttpAnswer>;

/**
 * `fetch` over `undici.request`, a third of its cost per call. Only what the SDKs need: string bodies, a response
 * whose body is an async iterable of bytes. Redirects are not followed, so a key goes nowhere else. Own timeouts are
 * switched off: the caller's watchdog holds them.
 */
export function createFetch(transport: Transport = sendByUndici): Fetch {
  return async (input, init: WatchedInit = {}) => {
    const url = String(input instanceof Request ? input.url : input);
    const { status, headers, body } = await transport({
      method: init.method === 'POST' ? 'POST' : 'GET',
      url,
      headers: { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' },
      body: typeof init.body === 'string' ? init.body : null,
      signal: init.signal ?? undefined,
    });
    return responseLike({ url, status, headers: toHeaders(headers), body, onBytes: init.onBytes });
  };
}

/** Sends a request over the connections that a worker shares. */
export async function sendByUndici({ url, signal, ...request }: HttpRequest): Promise<HttpAnswer> {
  const undici = await import('undici');
  const timeouts = { headersTimeout: 0, bodyTimeout: 0 };
  const { statusCode, headers, body } = await undici.request(url, {
    ...request,
    ...timeouts,
    ...(signal && { signal }),
  });
  return { status: statusCode, headers, body };
}

type Answer = {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array>;
  readonly onBytes: (() => void) | undefined;
};

function responseLike({ url, status, headers, body, onBytes }: Answer): Response {
  const text = (): Promise<string> => readStart(body, MAX_ERROR_BYTES);
  const response = {
    url,
    status,
    statusText: '',
    ok: status >= 200 && status < 300,
    headers,
    body: guarded(body, onBytes),
    text,
    json: async (): Promise<unknown> => JSON.parse(await text()),
  };
  // The SDKs read these fields only, and take any async iterable for a body; the conformance suite holds them to it.
  return response as unknown as Response;
}

function toHeaders(incoming: HttpAnswer['headers']): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return headers;
}

/** Passes pieces on and refuses what would block or fill the process. */
async function* guarded(
  body: AsyncIterable<Uint8Array>,
  onBytes: (() => void) | undefined,
): AsyncGenerator<Uint8Array> {
  let total = 0;
  let line = 0;
  for await (const piece of body) {
    onBytes?.();
    total += piece.length;
    const newline = piece.lastIndexOf(NEWLINE);
    line = newline === -1 ? line + piece.length : piece.length - newline - 1;
    if (line > MAX_LINE_BYTES) throw new Error(`a line of the answer is longer than ${MAX_LINE_BYTES} bytes`);
    if (total > MAX_BODY_BYTES) throw new Error(`the answer is longer than ${MAX_BODY_BYTES} bytes`);
    yield piece;
  }
}

const NEWLINE = 0x0a;

async function readStart(body: AsyncIterable<Uint8Array>, limit: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    pieces.push(piece);
    size += piece.length;
    if (size >= limit) break;
  }
  return Buffer.concat(pieces).subarray(0, limit).toString('utf8');
}
