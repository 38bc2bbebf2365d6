import { SkeinError } from '../core/errors.ts';
import { compileTemplate } from '../core/interpolate.ts';
import { asText, resolvePath } from '../core/path.ts';
import { said } from './chain-config.ts';
import type { Chain } from './execution-chain.ts';
import { grantedNames, type UserEnv } from './granted-env.ts';
import { httpClientConfig, type HttpClientConfig } from './http-client-config.ts';
import { fillWord, parseWord } from './word-template.ts';

/** A request to send. */
export type HttpOrder = {
  readonly method: HttpClientConfig['method'];
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly result: HttpClientConfig['result'];
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly maxRedirects: number;
  readonly allowPrivate: boolean;
};

type Params = Readonly<Record<string, unknown>>;

/**
 * The request that a chain sends for a call.
 *
 * @throws SkeinError `invalid_item` for settings that can't be used, `tool_input_invalid` for params that make no URL or
 * header, `permission_denied` for variables the user does not allow, `tool_failed` for one that is not set.
 */
export function httpOrder(chain: Chain, userEnv: UserEnv, params: Params): HttpOrder {
  const config = httpClientConfig(chain);
  const body = bodyOf(config.body, params);
  const headers = headersOf(config.headers ?? {}, { params, env: variablesOf(chain, userEnv) });
  return {
    method: config.method,
    url: urlOf(config.url, params),
    headers: { ...body?.headers, ...headers },
    body: body?.text,
    result: config.result,
    timeoutMs: config.timeoutSeconds * 1000,
    maxBytes: config.maxBytes,
    maxRedirects: config.maxRedirects,
    // Said by anyone in the chain: a tool can't take back what its primitive forbids.
    allowPrivate: chain.links.every((link) => said(link, 'allow_private') !== false),
  };
}

const URL_VARIABLES = ['params.*'];
const HEADER_VARIABLES = ['params.*', 'env.*'];

/**
 * Looks for what is wrong with a request whatever the params are: variables that are none or not set, a fixed URL that is
 * not requested.
 *
 * @throws SkeinError as {@link httpOrder}
 */
export function checkHttpWords(chain: Chain, userEnv: UserEnv): void {
  const { url, headers } = httpClientConfig(chain);
  const values = { params: {}, env: variablesOf(chain, userEnv) };
  for (const word of Object.values(headers ?? {})) {
    fillWord(parseWord(word, HEADER_VARIABLES), (path) => headerPart(path, values));
  }
  const isFixed = parseWord(url, URL_VARIABLES).every((piece) => typeof piece === 'string');
  if (isFixed) urlOf(url, {});
}

/**
 * Reads a URL that may be requested.
 *
 * @throws SkeinError `tool_input_invalid` for anything but an absolute http or https URL without a user name or password.
 */
export function parseHttpUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (url === null) throw refusal(`${JSON.stringify(text.slice(0, 200))} is no absolute URL`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refusal(`${url.protocol} is not http: or https:`);
  if (url.username !== '' || url.password !== '') throw refusal('a URL with a user name or password is not requested');
  return url;
}

function urlOf(word: string, params: Params): URL {
  const template = parseWord(word, URL_VARIABLES);
  const isWhole = template.length === 1 && typeof template[0] !== 'string';
  const text = fillWord(template, (path) => {
    const value = resolvePath({ params }, path);
    if (value === undefined || value === null) throw refusal(`the URL needs ${path}`);
    return isWhole ? asText(value) : encode(asText(value));
  });
  if (!isWhole && hasDotSegment(text)) throw refusal('the params change the path of the URL with . or ..');
  return parseHttpUrl(text);
}

function encode(text: string): string {
  // A lone surrogate has no UTF-8 form.
  return encodeURIComponent(text.toWellFormed());
}

/** Dots are left alone by percent-encoding, and a URL parser takes `..` (and `%2e%2e`) as a step up. */
function hasDotSegment(url: string): boolean {
  const [path = ''] = url.split(/[?#]/, 1);
  return path.split(/[/\\]/).some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
}

type HeaderValues = { readonly params: Params; readonly env: Params };

function headersOf(words: Readonly<Record<string, string>>, values: HeaderValues): Record<string, string> {
  const filled = Object.entries(words).map(([name, word]) => {
    const value = fillWord(parseWord(word, HEADER_VARIABLES), (path) => headerPart(path, values));
    // oxlint-disable-next-line no-control-regex -- a line break in a value would begin another header
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) throw refusal(`the header ${name} can't hold these characters`);
    return [name.toLowerCase(), value] as const;
  });
  return Object.fromEntries(filled);
}

function headerPart(path: string, values: HeaderValues): string {
  const value = resolvePath(values, path);
  if (value !== undefined || path.startsWith('params.')) return asText(value);
  throw new SkeinError('tool_failed', `${path} is needed in a header, and is not set or may not be seen`, {
    detail: { reason: 'no_variable' },
  });
}

function variablesOf(chain: Chain, userEnv: UserEnv): Params {
  return Object.fromEntries(grantedNames(chain, userEnv).map((name) => [name, userEnv.env[name]]));
}

type Body = { readonly text: string; readonly headers: Readonly<Record<string, string>> };

function bodyOf(template: unknown, params: Params): Body | undefined {
  if (template === undefined) return undefined;
  const value = compileTemplate(template)({ params });
  if (typeof value === 'string') return { text: value, headers: { 'content-type': 'text/plain; charset=utf-8' } };
  return { text: JSON.stringify(value), headers: { 'content-type': 'application/json' } };
}

function refusal(message: string): SkeinError {
  return new SkeinError('tool_input_invalid', message);
}
