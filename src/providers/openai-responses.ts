import type { Provider } from '../core/provider.ts';
import { createOpenaiOver, isOpenai, OPENAI, type OpenaiOptions } from './openai-provider.ts';
import { OpenaiResponsesAnswer } from './openai-responses-answer.ts';
import { openaiResponsesRequest } from './openai-responses-request.ts';
import { sendCarrying } from './send-carrying.ts';

/**
 * OpenAI over the Responses API (S2 §6.12). Nothing is stored there: every request has the whole conversation, and what
 * the model thought comes back encrypted with the answer and goes along with it.
 */
export function createOpenaiResponsesProvider(options: OpenaiOptions): Provider {
  const carryName = `${options.id ?? OPENAI}/responses`;
  const isOwn = isOpenai(options.baseUrl);
  return createOpenaiOver(options, {
    send: (client, request, how) =>
      sendCarrying((name) => client.responses.create(openaiResponsesRequest(request, name, isOwn), how).asResponse(), {
        carryName,
        refusal: REASONING_REFUSED,
      }),
    assembler: (request, chunk) => new OpenaiResponsesAnswer({ request, chunk, carryName }),
  });
}

/** A model that does not think is asked for it, or nobody can read it any more: the key may be another organization's. */
const REASONING_REFUSED = /encrypted content/i;
