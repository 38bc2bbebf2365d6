import type { ModelRequest } from '../../src/core/provider.ts';

/** A conversation with everything in it a provider must be able to send. */
export const REQUEST: ModelRequest = {
  model: 'test-model',
  system: 'You are careful.',
  messages: [
    { role: 'user', text: 'Read both files.' },
    {
      role: 'assistant',
      text: 'I will.',
      toolCalls: [
        { id: 'call_1', name: 'read', input: { path: 'a.txt' } },
        { id: 'call_2', name: 'read', input: { path: 'b.txt' } },
      ],
    },
    { role: 'tool', callId: 'call_1', text: 'alpha', isError: false },
    { role: 'tool', callId: 'call_2', text: 'no such file', isError: true },
    { role: 'user', text: 'Go on.' },
  ],
  tools: [
    {
      name: 'read',
      description: 'Reads a file.',
      inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
    },
  ],
  maxOutputTokens: 512,
  inputTokens: 90,
  thread: { directive: 'demo/read', turn: 2 },
};
