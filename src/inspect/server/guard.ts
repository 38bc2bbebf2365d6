import type { IncomingHttpHeaders } from 'node:http';
import type { SkeinErrorCode } from '../../core/errors.ts';
import { createAddressCheck } from '../../core/listen-here.ts';
import { createTokenCheck } from '../../core/token-check.ts';
import { TOKEN_HEADER } from '../api.ts';

/** Why a request is not served. */
export type Refusal = { readonly status: number; readonly code: SkeinErrorCode; readonly message: string };

/** Of a request, what it is judged by. */
export type RequestHead = {
  readonly headers: IncomingHttpHeaders;
  readonly url?: string | undefined;
  readonly method?: string | undefined;
};

/** Longest body of a request, bytes. */
export const MAX_BODY_BYTES = 262_144;

/** Below this is what needs the token. */
const API_PATH = '/api/';

/**
 * How the page writes paths: no whole address, no `..`, nothing encoded, nothing empty. Whoever finds the answer reads those as
 * other paths than they begin with, and the token is asked for by the beginning.
 */
const PLAIN_PATH = /^(?:\/|(?:\/[\w-][\w.-]*)+\/?)(?:\?|$)/;

/** Makes the check that every request goes through before anything of it is read. */
export function createGuard({
  port,
  token,
}: {
  readonly port: number;
  readonly token: string;
}): (request: RequestHead) => Refusal | undefined {
  const whyForeign = createAddressCheck(port);
  const isToken = createTokenCheck(token);
  return ({ headers, url = '', method = '' }) => {
    const foreign = whyForeign(headers);
    if (foreign !== undefined) return forbidden(foreign);
    if (!PLAIN_PATH.test(url)) return nothingAt(url);
    // The page itself says nothing of the project.
    if (!url.startsWith(API_PATH)) return method === 'GET' || method === 'HEAD' ? undefined : wrongMethod();
    if (!isToken(headers[TOKEN_HEADER])) {
      return forbidden('The token is missing or wrong: open the address that skein ui has printed');
    }
    if (method === 'GET') return undefined;
    return method === 'POST' ? refuseBody(headers) : wrongMethod();
  };
}

function refuseBody(headers: IncomingHttpHeaders): Refusal | undefined {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json') {
    return { status: 415, code: 'invalid_argument', message: 'A body is application/json' };
  }
  if (!(Number(headers['content-length'] ?? 0) <= MAX_BODY_BYTES)) return tooLarge();
  return undefined;
}

/** A body that turns out to be longer than it may be. */
export function tooLarge(): Refusal {
  return { status: 413, code: 'invalid_argument', message: `A body may have ${MAX_BODY_BYTES} bytes` };
}

/** Why somebody may not. */
export function forbidden(message: string): Refusal {
  return { status: 403, code: 'permission_denied', message };
}

/** What is asked for is not there. */
export function nothingAt(path: string): Refusal {
  return { status: 404, code: 'invalid_argument', message: `There is nothing at ${path}` };
}

function wrongMethod(): Refusal {
  return { status: 405, code: 'invalid_argument', message: 'There is GET, and POST for what changes something' };
}
