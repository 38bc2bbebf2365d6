import * as z from 'zod';
import { section } from '../config/section.ts';
import { templatePaths } from '../core/interpolate.ts';
import { envNames, parseChainConfig, resultBytes, seconds } from './chain-config.ts';
import type { Chain } from './execution-chain.ts';

/** Headers that say how the connection works: the client's own business. */
const OWN_HEADERS =
  /^(?:host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect|keep-alive|proxy-.*)$/i;

const headerName = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]+$/, 'not a header name')
  .refine((name) => !OWN_HEADERS.test(name), 'this header is set by the client itself');

/** Anything else would be sent as an empty text. A redirect may take a body to another server, so no secret goes into one. */
const body = z.unknown().superRefine((template, context) => {
  const path = foreignPath(template);
  if (path === undefined) return;
  const hint = path.startsWith('env.') ? ', and variables of the environment in `headers` only' : '';
  const message = `\${${path}} is no variable here; there are \${params.*}${hint} (and $$ for a $)`;
  context.addIssue({ code: 'custom', message });
});

function foreignPath(template: unknown): string | undefined {
  return templatePaths(template).find((path) => path !== 'params' && !path.startsWith('params.'));
}

const schema = section({
  config: section({
    method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']),
    /** With `${params.*}`, percent-encoded; a URL that is one such variable and nothing else is taken as it is. */
    url: z.string().min(1).max(8192),
    /** With `${params.*}` and, for names that may be seen (`grantedNames`), `${env.NAME}`. */
    headers: z.record(headerName, z.string()).optional(),
    /** Text, or a value that is sent as JSON; with `${params.*}`, types kept. */
    body: body.optional(),
    /** `text`: as it came; `json`: parsed; `readable`: HTML as plain text, everything else as `text`. */
    result: z.enum(['text', 'json', 'readable']),
    timeout_seconds: seconds,
    /** Of the answer's body, unpacked. */
    max_bytes: resultBytes,
    max_redirects: z.int().min(0).max(5),
    /** False: never a private address, not even one the user allows. */
    allow_private: z.boolean().optional(),
    env: envNames.optional(),
  }),
});

/** How a chain that ends in `rye/core/primitives/http_client` sends its request. */
export type HttpClientConfig = z.output<typeof schema>['config'];

/** Reads a chain's settings. @throws SkeinError `invalid_item` */
export function httpClientConfig(chain: Chain): HttpClientConfig {
  return parseChainConfig(chain, schema).config;
}
