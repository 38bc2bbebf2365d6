import { describe, expect, test } from 'vitest';
import { REQUEST } from '../../test/conformance/sample-request.ts';
import type { Message } from '../core/conversation.ts';
import { geminiRequest } from './gemini-request.ts';

/** Google's placeholder for the signature of a call that it did not make. */
const UNSIGNED = 'skip_thought_signature_validator';
const CARRY = 'gemini/gemini';
const GO: Message = { role: 'user', text: 'Go.' };

function contentsOf(messages: readonly Message[]) {
  return geminiRequest({ ...REQUEST, messages }, CARRY).contents;
}

test("the system prompt has its own field, a message's results share one content with what follows", () => {
  const before = structuredClone(REQUEST);
  const sent = geminiRequest(REQUEST, CARRY);
  expect(sent.model).toBe('test-model');
  expect(sent.contents).toEqual([
    { role: 'user', parts: [{ text: 'Read both files.' }] },
    {
      role: 'model',
      parts: [
        { text: 'I will.' },
        { functionCall: { name: 'read', args: { path: 'a.txt' } }, thoughtSignature: UNSIGNED },
        { functionCall: { name: 'read', args: { path: 'b.txt' } } },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { name: 'read', response: { output: 'alpha' } } },
        { functionResponse: { name: 'read', response: { error: 'no such file' } } },
        { text: 'Go on.' },
      ],
    },
  ]);
  const parametersJsonSchema = { type: 'object', properties: { path: { type: 'string' } } };
  const declaration = { name: 'read', description: 'Reads a file.', parametersJsonSchema };
  expect(sent.config).toEqual({
    maxOutputTokens: 512,
    automaticContinuation: false,
    systemInstruction: { parts: [{ text: 'You are careful.' }] },
    tools: [{ functionDeclarations: [declaration] }],
  });
  expect(REQUEST).toEqual(before);
});

test('empty texts, prompts and lists of tools are left out', () => {
  const messages: Message[] = [GO, { role: 'assistant', text: ' ', toolCalls: [] }, { role: 'user', text: 'Go on.' }];
  const sent = geminiRequest({ ...REQUEST, system: '', tools: [], messages }, CARRY);
  expect(sent.contents).toEqual([{ role: 'user', parts: [{ text: 'Go.' }, { text: 'Go on.' }] }]);
  expect(sent.config).toEqual({ maxOutputTokens: 512, automaticContinuation: false });
});

describe('an answer of Gemini', () => {
  const parts = [
    { text: 'I will.', thoughtSignature: 'c2ln' },
    { functionCall: { id: 'g1', name: 'read', args: {} }, thoughtSignature: 'c2ln' },
    { functionCall: { name: 'list', args: {} } },
  ];
  const answer: Message = {
    role: 'assistant',
    text: 'I will.',
    toolCalls: [
      { id: 'g1', name: 'read', input: {} },
      { id: 'call_1_1', name: 'list', input: {} },
    ],
    carry: { provider: CARRY, parts },
  };
  const results: Message[] = [
    { role: 'tool', callId: 'g1', text: 'one', isError: false },
    { role: 'tool', callId: 'call_1_1', text: 'two', isError: false },
  ];

  test('goes back word for word, and its results have the ids that Gemini gave and no others', () => {
    expect(contentsOf([GO, answer, ...results])).toEqual([
      { role: 'user', parts: [{ text: 'Go.' }] },
      { role: 'model', parts },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'g1', name: 'read', response: { output: 'one' } } },
          { functionResponse: { name: 'list', response: { output: 'two' } } },
        ],
      },
    ]);
  });

  test.each<[string, Message]>([
    ['of another adapter', { ...answer, carry: { provider: 'claude/messages', parts: [{ type: 'thinking' }] } }],
    ['of another configured Gemini', { ...answer, carry: { provider: 'other/gemini', parts } }],
    ['whose calls were written as text', { ...answer, carry: { provider: CARRY, parts: [{ text: 'I will.```' }] } }],
    ['whose calls are not all in its parts', { ...answer, carry: { provider: CARRY, parts: parts.slice(0, 2) } }],
  ])('%s is made anew, without ids', (_title, foreign) => {
    expect(contentsOf([GO, foreign, ...results])).toEqual([
      { role: 'user', parts: [{ text: 'Go.' }] },
      {
        role: 'model',
        parts: [
          { text: 'I will.' },
          { functionCall: { name: 'read', args: {} }, thoughtSignature: UNSIGNED },
          { functionCall: { name: 'list', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'read', response: { output: 'one' } } },
          { functionResponse: { name: 'list', response: { output: 'two' } } },
        ],
      },
    ]);
  });
});

test.each([
  [{ effort: 'low' } as const, { includeThoughts: true, thinkingLevel: 'LOW' }],
  [{ budgetTokens: 2048 }, { includeThoughts: true, thinkingBudget: 2048 }],
])('the setting %j goes along as its thinking, and thoughts are asked for', (reasoning, thinkingConfig) => {
  expect(geminiRequest({ ...REQUEST, reasoning }, CARRY).config).toMatchObject({ thinkingConfig });
});
