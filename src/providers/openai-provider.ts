import type OpenAI from 'openai';
import { loadOnce } from '../core/load-once.ts';
import type { ModelChunk, ModelRequest, Provider } from '../core/provider.ts';
import type { AdapterOptions } from './adapter-options.ts';
import { createCloser } from './close-in-slices.ts';
import { customHeaderNames } from './custom-headers.ts';
import { createFetch } from './http-fetch.ts';
import { NO_SDK_TIMEOUT } from './sdk-limits.ts';
import { startStreamedCall, type Assembler } from './streamed-call.ts';
import { DEFAULT_TIMEOUTS } from './watchdog.ts';

/**
 * What an OpenAI provider of either API is made from. Its base URL is of any server that speaks the API, up to and including
 * the version, e.g. `http://127.0.0.1:8080/v1`.
 */
export type OpenaiOptions = AdapterOptions & {
  /** Left out for servers that ask for none; then no `Authorization` header is sent. */
  readonly apiKey?: string;
};

/** One of OpenAI's APIs: how a request is sent, and how its answer is built. */
export type OpenaiApi<Event> = {
  /** The SDK sends and refuses; its own reading of the stream would leave the connection unusable. */
  send(client: OpenAI, request: ModelRequest, how: OpenAI.RequestOptions): Promise<Response>;
  assembler(request: ModelRequest, chunk: (chunk: ModelChunk) => void): Assembler<Event>;
};

/** Name of a provider that has none in configuration. */
export const OPENAI = 'openai';

/** Makes a provider over one of the APIs. The SDK is loaded with the first call; it never retries. */
export function createOpenaiOver<Event>(options: OpenaiOptions, api: OpenaiApi<Event>): Provider {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const closeSoon = createCloser();
  const client = loadOnce(() => loadClient(options));
  return {
    id: options.id ?? OPENAI,
    call: (request, sink) =>
      startStreamedCall(
        {
          open: async (signal) => api.send(await client(), request, { signal }),
          assembler: (chunk) => api.assembler(request, chunk),
          secret: options.apiKey,
        },
        { sink, clock: options.clock, timeouts, closeSoon },
      ),
  };
}

/** Whether a base URL is OpenAI's own; none is. */
export function isOpenai(baseUrl: string | undefined): boolean {
  if (baseUrl === undefined) return true;
  const host = hostOf(baseUrl);
  return host === 'api.openai.com' || host.endsWith('.api.openai.com');
}

/** Who answers Chat Completions: OpenAI, a resource of it at Azure, or another server that speaks the API. */
export type ChatServer = 'openai' | 'azure' | 'compatible';

/** Who answers at a base URL. */
export function chatServerAt(baseUrl: string | undefined): ChatServer {
  if (baseUrl === undefined || isOpenai(baseUrl)) return 'openai';
  const host = hostOf(baseUrl);
  return AZURE.some((domain) => host.endsWith(`.${domain}`)) ? 'azure' : 'compatible';
}

/** Under which a resource is reached; the same one may have all of them. */
const AZURE = ['openai.azure.com', 'cognitiveservices.azure.com', 'services.ai.azure.com'];

/** Whether a server wants reasoning in every answer of a conversation; others refuse it, or take it for more input. */
export function wantsReasoning(baseUrl: string | undefined): boolean {
  const host = hostOf(baseUrl ?? '');
  return WANT_REASONING.some((domain) => host.endsWith(`.${domain}`));
}

/** DeepSeek, Moonshot under its two names, Xiaomi. */
const WANT_REASONING = ['deepseek.com', 'moonshot.ai', 'moonshot.cn', 'kimi.com', 'xiaomimimo.com'];

function hostOf(baseUrl: string): string {
  return URL.parse(baseUrl)?.hostname ?? '';
}

/**
 * Every value the SDK would otherwise take from the environment is given, the key in its own header too: the variable for
 * headers may name that one.
 */
async function loadClient({ apiKey, baseUrl, fetch }: OpenaiOptions): Promise<OpenAI> {
  const { default: OpenAI } = await import('openai');
  return new OpenAI({
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: baseUrl ?? 'https://api.openai.com/v1',
    fetch: fetch ?? createFetch(),
    maxRetries: 0,
    timeout: NO_SDK_TIMEOUT,
    logLevel: 'off',
    defaultHeaders: {
      ...Object.fromEntries(customHeaderNames('OPENAI_CUSTOM_HEADERS').map((name) => [name.toLowerCase(), null])),
      authorization: apiKey === undefined ? null : `Bearer ${apiKey}`,
    },
  });
}
