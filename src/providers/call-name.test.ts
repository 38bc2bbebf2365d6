import { expect, test } from 'vitest';
import { REQUEST } from '../../test/conformance/sample-request.ts';
import type { Message } from '../core/conversation.ts';
import type { ModelRequest } from '../core/provider.ts';
import { anthropicRequest } from './anthropic-request.ts';
import { callName } from './call-name.ts';
import { geminiRequest } from './gemini-request.ts';
import { openaiRequest } from './openai-request.ts';
import { openaiResponsesRequest } from './openai-responses-request.ts';

test.each<[string, (request: ModelRequest, carryName: string) => object]>([
  ['Anthropic', anthropicRequest],
  ['Chat Completions', (request) => openaiRequest(request, 'openai')],
  ['Responses', (request, carryName) => openaiResponsesRequest(request, carryName, true)],
  ['Gemini', geminiRequest],
])('%s: a name that a model made up goes back in characters that the API takes', (_title, toRequest) => {
  const messages: Message[] = [
    { role: 'user', text: 'Go.' },
    { role: 'assistant', text: '', toolCalls: [{ id: 'c', name: 'multi_tool_use.parallel', input: {} }] },
    { role: 'tool', callId: 'c', text: 'there is no such tool', isError: true },
  ];
  const sent = JSON.stringify(toRequest({ ...REQUEST, messages }, 'mine'));
  expect(sent).toContain('"name":"multi_tool_use_parallel"');
  expect(sent).not.toContain('multi_tool_use.parallel');
});

test.each([
  ['read', 'read'],
  ['rye_file-system_read', 'rye_file-system_read'],
  ['x'.repeat(64), 'x'.repeat(64)],
  ['x'.repeat(65), 'x'.repeat(64)],
  ['create_event<|channel|>analysis', 'create_event__channel__analysis'],
  ['größe 🧶', 'gr__e___'],
])('the name %j is told as %j', (name, told) => {
  expect(callName(name)).toBe(told);
});
