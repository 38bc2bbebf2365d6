import { TOKEN_HEADER, type ApiError } from '../../api.ts';

/** Why a request was not answered as it should: a code of the API, or `unreachable`, `unreadable`, `unanswered`. */
export type RequestFailure = { readonly code: string; readonly message: string };

/** What became of a request. */
export type Answer<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: RequestFailure };

/** Values of a query; what is undefined is left out. */
export type Query = Readonly<Record<string, string | number | undefined | readonly string[]>>;

/** The HTTP API. Paths are below `/api/`; nothing here throws or rejects. */
export type ApiClient = {
  get<Value>(path: string, options?: { readonly query?: Query; readonly signal?: AbortSignal }): Promise<Answer<Value>>;
  /** Fails after a minute, in which it may have been done nevertheless. */
  post<Value>(path: string, body: object): Promise<Answer<Value>>;
  /** The body of an event stream. */
  stream(path: string, query: Query, signal: AbortSignal): Promise<Answer<ReadableStream<Uint8Array>>>;
};

/** @param send `fetch`, at the page's own origin. @param deadline Aborted when a change is waited for no longer. */
export function createApiClient(
  token: string,
  send: typeof fetch,
  deadline: () => AbortSignal = () => AbortSignal.timeout(60_000),
): ApiClient {
  const headers = { [TOKEN_HEADER]: token };
  const ask = async (path: string, init: RequestInit): Promise<Answer<Response>> => {
    try {
      const response = await send(`/api/${path}`, { ...init, cache: 'no-store', credentials: 'omit' });
      return response.ok ? { ok: true, value: response } : { ok: false, failure: await failureOf(response) };
    } catch {
      // What fetch rejects with says no more than this, and an aborted request has nobody who reads it.
      return { ok: false, failure: { code: 'unreachable', message: 'The dashboard’s server does not answer' } };
    }
  };
  return {
    get: async <Value>(path: string, { query = {}, signal }: { query?: Query; signal?: AbortSignal } = {}) =>
      read<Value>(await ask(path + queryText(query), { headers, ...(signal && { signal }) })),
    async post<Value>(path: string, body: object) {
      const signal = deadline();
      const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, signal };
      const answer = await read<Value>(await ask(path, { ...init, body: JSON.stringify(body) }));
      return !answer.ok && signal.aborted ? UNANSWERED : answer;
    },
    async stream(path, query, signal) {
      const answer = await ask(path + queryText(query), { headers, signal });
      if (!answer.ok) return answer;
      return answer.value.body ? { ok: true, value: answer.value.body } : UNREADABLE;
    },
  };
}

const UNREADABLE = {
  ok: false,
  failure: { code: 'unreadable', message: 'The answer of the dashboard’s server can’t be read' },
} as const;

const UNANSWERED = {
  ok: false,
  failure: {
    code: 'unanswered',
    message: 'The dashboard’s server has not answered for a minute: what was asked for may be done, or not',
  },
} as const;

async function read<Value>(answer: Answer<Response>): Promise<Answer<Value>> {
  if (!answer.ok) return answer;
  try {
    // The server's types are those of api.ts, which both sides share.
    return { ok: true, value: (await answer.value.json()) as Value };
  } catch {
    return UNREADABLE;
  }
}

async function failureOf(response: Response): Promise<RequestFailure> {
  try {
    // As above; another server's answer has no `error`, which is looked at below.
    const { error } = (await response.json()) as Partial<ApiError>;
    if (error) return error;
  } catch {
    // Not JSON: the status has to say it.
  }
  return { code: 'unreadable', message: `The dashboard’s server answered ${response.status}` };
}

function queryText(query: Query): string {
  const parameters = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
    ),
  );
  return parameters.size === 0 ? '' : `?${parameters}`;
}
