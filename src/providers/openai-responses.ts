import type OpenAI from 'openai';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import type { ModelRequest, Provider } from '../core/provider.ts';
import { createOpenaiClient, type OpenaiOptions } from './openai-client.ts';
import { OpenaiResponsesAnswer } from './openai-responses-answer.ts';
import { openaiResponsesRequest } from './openai-responses-request.ts';
import { startStreamedCall } from './streamed-call.ts';
import { DEFAULT_TIMEOUTS } from './watchdog.ts';

/**
 * OpenAI over the Responses API (S2 §6.12). Nothing is stored there: every request has the whole conversation, and what
 * the model thought comes back encrypted with the answer and goes along with it.
 */
export function createOpenaiResponsesProvider(options: OpenaiOptions): Provider {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const id = options.id ?? 'openai';
  const carryName = `${id}/responses`;
  let client: Promise<OpenAI> | undefined;
  return {
    id,
    call: (request, sink) =>
      startStreamedCall(
        {
          open: async (signal, alive) =>
            openStream(await (client ??= createOpenaiClient(options)), { request, signal, alive, carryName }),
          assembler: (chunk) => new OpenaiResponsesAnswer({ request, chunk, carryName }),
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
  readonly carryName: string;
};

async function openStream(
  client: OpenAI,
  { request, signal, alive, carryName }: Sending,
): Promise<AsyncIterable<ResponseStreamEvent>> {
  // `onBytes` is our own field (http-fetch.ts), which the SDK hands to `fetch` untouched.
  const fetchOptions: object = { onBytes: alive };
  return client.responses.create(openaiResponsesRequest(request, carryName), { signal, fetchOptions });
}
