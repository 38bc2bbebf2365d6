import type Anthropic from '@anthropic-ai/sdk';
import { loadOnce } from '../core/load-once.ts';
import type { Provider } from '../core/provider.ts';
import type { KeyedOptions } from './adapter-options.ts';
import { AnthropicAnswer } from './anthropic-answer.ts';
import { BINDING_BETA, bindsThoughts, droppingThoughts, THOUGHT_REFUSED } from './anthropic-binding.ts';
import { anthropicRequest } from './anthropic-request.ts';
import { createCloser } from './close-in-slices.ts';
import { customHeaderNames } from './custom-headers.ts';
import { createFetch } from './http-fetch.ts';
import { NO_SDK_TIMEOUT } from './sdk-limits.ts';
import { sendCarrying } from './send-carrying.ts';
import { startStreamedCall } from './streamed-call.ts';
import { DEFAULT_TIMEOUTS } from './watchdog.ts';

/**
 * Claude over the Messages API (S2 §6.12). The SDK is loaded with the first call; it never retries, since retries are
 * turns of the thread's own policy, and never reads the environment for what is configured here.
 */
export function createAnthropicProvider(options: KeyedOptions): Provider {
  const closeSoon = createCloser();
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const id = options.id ?? 'anthropic';
  const carryName = `${id}/messages`;
  const client = loadOnce(() => createClient(options));
  return {
    id,
    call: (request, sink) =>
      startStreamedCall(
        {
          open: async (signal) => {
            const { messages } = await client();
            const drops = isAnthropic(options.baseUrl) && bindsThoughts(request.model);
            const how = { signal, ...(drops && { headers: { 'anthropic-beta': BINDING_BETA } }) };
            const send = (name: string | undefined): Promise<Response> => {
              const body = anthropicRequest(request, name);
              return messages.create(drops ? droppingThoughts(body) : body, how).asResponse();
            };
            return sendCarrying(send, { carryName, refusal: THOUGHT_REFUSED });
          },
          assembler: (chunk) => new AnthropicAnswer({ request, chunk, carryName }),
          secret: options.apiKey,
        },
        { sink, clock: options.clock, timeouts, closeSoon },
      ),
  };
}

/** Whether a base URL is Anthropic's own; none is. Other servers may refuse what they don't know. */
function isAnthropic(baseUrl: string | undefined): boolean {
  return baseUrl === undefined || URL.parse(baseUrl)?.hostname === 'api.anthropic.com';
}

async function createClient({ apiKey, baseUrl, fetch }: KeyedOptions): Promise<Anthropic> {
  const { default: Anthropic } = await import('@anthropic-ai/sdk');
  return new Anthropic({
    apiKey,
    webhookKey: null,
    baseURL: baseUrl ?? 'https://api.anthropic.com',
    fetch: fetch ?? createFetch(),
    maxRetries: 0,
    timeout: NO_SDK_TIMEOUT,
    logLevel: 'off',
    openTelemetry: false,
    // Not null: that would take away what the SDK itself sends under such a name.
    defaultHeaders: Object.fromEntries(customHeaderNames('ANTHROPIC_CUSTOM_HEADERS').map((name) => [name, undefined])),
  });
}
