import type { Provider } from '../core/provider.ts';
import { OpenaiAnswer } from './openai-answer.ts';
import { createOpenaiOver, chatServerAt, type OpenaiOptions } from './openai-provider.ts';
import { openaiRequest } from './openai-request.ts';

/** OpenAI and compatible servers over Chat Completions (S2 §6.12). */
export function createOpenaiProvider(options: OpenaiOptions): Provider {
  const server = chatServerAt(options.baseUrl);
  return createOpenaiOver(options, {
    send: (client, request, how) => client.chat.completions.create(openaiRequest(request, server), how).asResponse(),
    assembler: (request, chunk) => new OpenaiAnswer(request, chunk),
  });
}
