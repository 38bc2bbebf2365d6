import type OpenAI from 'openai';
import type { ModelRequest, Provider } from '../core/provider.ts';
import type { OpenaiEvent } from './openai-answer.ts';
import { OpenaiAnswer } from './openai-answer.ts';
import { createOpenaiClient, isOpenai, type OpenaiOptions } from './openai-client.ts';
import { openaiRequest } from './openai-request.ts';
import { startStreamedCall } from './streamed-call.ts';
import { DEFAULT_TIMEOUTS } from './watchdog.ts';

/** OpenAI and compatible servers over Chat Completions (S2 §6.12). The SDK is loaded with the first call. */
export function createOpenaiProvider(options: OpenaiOptions): Provider {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const compatible = !isOpenai(options.baseUrl);
  let client: Promise<OpenAI> | undefined;
  return {
    id: options.id ?? 'openai',
    call: (request, sink) =>
      startStreamedCall(
        {
          open: async (signal, alive) =>
            openStream(await (client ??= createOpenaiClient(options)), { request, signal, alive, compatible }),
          assembler: (chunk) => new OpenaiAnswer(request, chunk),
          secret: options.apiKey,
        },
        { sink, clock: options.clock, timeouts },
      ),
  };
}

type Sending = {
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly alive: () => void;
  readonly compatible: boolean;
};

async function openStream(
  client: OpenAI,
  { request, signal, alive, compatible }: Sending,
): Promise<AsyncIterable<OpenaiEvent>> {
  // `onBytes` is our own field (http-fetch.ts), which the SDK hands to `fetch` untouched.
  const fetchOptions: object = { onBytes: alive };
  return client.chat.completions.create(openaiRequest(request, compatible), { signal, fetchOptions });
}
