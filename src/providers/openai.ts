import type { Provider } from '../core/provider.ts';
import { OpenaiAnswer } from './openai-answer.ts';
import { createOpenaiOver, chatServerAt, OPENAI, wantsReasoning, type OpenaiOptions } from './openai-provider.ts';
import { openaiRequest } from './openai-request.ts';

/** OpenAI and compatible servers over Chat Completions (S2 §6.12). */
export function createOpenaiProvider(options: OpenaiOptions): Provider {
  const server = chatServerAt(options.baseUrl);
  const carryName = wantsReasoning(options.baseUrl) ? `${options.id ?? OPENAI}/chat` : undefined;
  return createOpenaiOver(options, {
    send: (client, request, how) =>
      client.chat.completions.create(openaiRequest(request, server, carryName), how).asResponse(),
    assembler: (request, chunk) => new OpenaiAnswer({ request, chunk, carryName }),
  });
}
