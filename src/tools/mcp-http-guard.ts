import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { createAddressCheck } from '../core/listen-here.ts';
import { createTokenCheck } from '../core/token-check.ts';

/** Why a request is not served. */
export type HttpRefusal = {
  readonly status: number;
  readonly message: string;
  readonly headers?: OutgoingHttpHeaders;
};

/** What a request has to meet. */
export type HttpGuardOptions = {
  readonly port: number;
  readonly token: string;
  readonly maxBodyBytes: number;
};

/** Where the server is found below its origin. */
export const MCP_PATH = '/mcp';

/** Makes the check that every request goes through before anything of it is read. */
export function createHttpGuard({
  port,
  token,
  maxBodyBytes,
}: HttpGuardOptions): (request: IncomingMessage) => HttpRefusal | undefined {
  const whyForeign = createAddressCheck(port);
  const isToken = createTokenCheck(`Bearer ${token}`);
  return ({ headers, url = '', method = '' }) => {
    const message = whyForeign(headers);
    if (message !== undefined) return { status: 403, message };
    if (!isToken(headers.authorization)) {
      return { status: 401, message: 'A bearer token is needed', headers: { 'www-authenticate': 'Bearer' } };
    }
    if (url.split('?')[0] !== MCP_PATH) return { status: 404, message: `There is only ${MCP_PATH}` };
    if (!METHODS.includes(method)) {
      return { status: 405, message: `Not a method of MCP`, headers: { allow: METHODS.join(', ') } };
    }
    if (Number(headers['content-length'] ?? 0) > maxBodyBytes) {
      return { status: 413, message: `A request may have ${maxBodyBytes} bytes` };
    }
    return undefined;
  };
}

const METHODS = ['GET', 'POST', 'DELETE'];

/** Answers with a refusal, and reads nothing more from the connection. */
export function refuseRequest(response: ServerResponse, { status, message, headers }: HttpRefusal): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null });
  response.writeHead(status, { ...headers, 'content-type': 'application/json', connection: 'close' });
  response.end(body);
}
