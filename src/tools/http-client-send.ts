import type { Agent } from 'undici';
import { messageOf } from '../core/errors.ts';
import { bodyText, isTextType, readAnswerBody } from './http-client-body.ts';
import { httpFailure } from './http-client-failure.ts';
import { parseHttpUrl, type HttpOrder } from './http-client-order.ts';

/** What came back. */
export type HttpAnswer = {
  readonly status: number;
  /** Where the answer came from, after redirects. */
  readonly url: string;
  readonly contentType: string;
  readonly text: string;
};

type Hop = Pick<HttpOrder, 'method' | 'url' | 'headers' | 'body'>;
type Response = Awaited<ReturnType<Agent['request']>>;

/**
 * Sends a request and follows redirects by hand: each is a request of its own, judged like the first.
 *
 * @throws SkeinError as {@link httpFailure} says, and whatever the connection throws
 */
export async function followRedirects(order: HttpOrder, agent: Agent): Promise<HttpAnswer> {
  let hop: Hop = order;
  for (let redirects = 0; ; redirects++) {
    const response = await request(hop, agent);
    const next = redirectOf(hop, response);
    if (next === undefined) return readAnswer(order, hop.url, response);
    if (redirects === order.maxRedirects) throw httpFailure('redirects', `there were more than ${redirects} redirects`);
    await response.body.dump();
    hop = next;
  }
}

function request({ method, url, headers, body }: Hop, agent: Agent): Promise<Response> {
  return agent.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method,
    headers: { 'user-agent': 'skein', accept: '*/*', 'accept-encoding': 'gzip, deflate, br', ...headers },
    body: body ?? null,
  });
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

function redirectOf(hop: Hop, { statusCode, headers }: Response): Hop | undefined {
  const [location] = [headers['location']].flat();
  if (location === undefined || !REDIRECTS.has(statusCode)) return undefined;
  const url = redirectTarget(location, hop.url);
  // As browsers do: what answers a form is fetched, not posted to.
  const asGet = statusCode === 303 ? hop.method !== 'HEAD' : statusCode < 303 && hop.method === 'POST';
  // What the tool says to one server, keys among it, is not for another.
  const { 'content-type': type, ...others } = hop.headers;
  const kept = url.origin === hop.url.origin ? others : {};
  if (asGet) return { method: 'GET', url, headers: kept, body: undefined };
  return { ...hop, url, headers: { ...kept, ...(type !== undefined && { 'content-type': type }) } };
}

function redirectTarget(location: string, base: URL): URL {
  try {
    return parseHttpUrl(location, base);
  } catch (cause) {
    throw httpFailure('redirects', `a redirect leads to where no request is sent: ${messageOf(cause)}`, cause);
  }
}

async function readAnswer(order: HttpOrder, url: URL, { statusCode, headers, body }: Response): Promise<HttpAnswer> {
  const [contentType = ''] = [headers['content-type']].flat();
  if (order.method !== 'HEAD' && !isTextType(contentType))
    throw httpFailure('not_text', `${url.href} is ${contentType}, which is no text`);
  const [encoding = ''] = [headers['content-encoding']].flat();
  const bytes = await readAnswerBody(body, encoding, order.maxBytes);
  return { status: statusCode, url: url.href, contentType, text: bodyText(bytes, contentType) };
}
