import type OpenAI from 'openai';
import type { Clock } from '../core/clock.ts';
import type { Provider } from '../core/provider.ts';
import { createCloser } from './close-in-slices.ts';
import type { Fetch } from './http-fetch.ts';
import { createFetch } from './http-fetch.ts';
import { OpenaiAnswer } from './openai-answer.ts';
import { openaiRequest } from './openai-request.ts';
import { NO_SDK_TIMEOUT } from './sdk-limits.ts';
import { startStreamedCall } from './streamed-call.ts';
import type { Timeouts } from './watchdog.ts';
import { DEFAULT_TIMEOUTS } from './watchdog.ts';

/** Options of {@link createOpenaiProvider}; timeouts in milliseconds. */
export type OpenaiOptions = {
  /** Left out for servers that ask for none; then no `Authorization` header is sent. */
  readonly apiKey?: string;
  readonly clock: Clock;
  /** Any server that speaks Chat Completions, up to and including its version, e.g. `http://127.0.0.1:8080/v1`. */
  readonly baseUrl?: string;
  readonly timeouts?: Partial<Timeouts>;
  readonly fetch?: Fetch;
  /** Name of the provider in configuration; default `openai`. */
  readonly id?: string;
};

/** OpenAI and compatible servers over Chat Completions (S2 §6.12). The SDK is loaded with the first call. */
export function createOpenaiProvider(options: OpenaiOptions): Provider {
  const closeSoon = createCloser(options.clock);
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const compatible = options.baseUrl !== undefined && !isOpenai(options.baseUrl);
  let client: Promise<OpenAI> | undefined;
  return {
    id: options.id ?? 'openai',
    call: (request, sink) =>
      startStreamedCall(
        {
          // The SDK sends and refuses; its own reading of the stream would leave the connection unusable.
          open: async (signal) =>
            (await (client ??= createClient(options))).chat.completions
              .create(openaiRequest(request, compatible), { signal })
              .asResponse(),
          assembler: (chunk) => new OpenaiAnswer(request, chunk),
          secret: options.apiKey,
        },
        { sink, clock: options.clock, timeouts, closeSoon },
      ),
  };
}

function isOpenai(baseUrl: string): boolean {
  const host = URL.parse(baseUrl)?.hostname ?? '';
  return host === 'api.openai.com' || host.endsWith('.api.openai.com');
}

/** Every value the SDK would otherwise take from the environment is given. */
async function createClient({ apiKey, baseUrl, fetch }: OpenaiOptions): Promise<OpenAI> {
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
    ...(apiKey === undefined && { defaultHeaders: { authorization: null } }),
  });
}
