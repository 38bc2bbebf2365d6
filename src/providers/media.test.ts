import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHandClock } from '../../test/conformance/hand-clock.ts';
import { createRecordingSink } from '../../test/conformance/recording-sink.ts';
import type { MediaPart } from '../core/content-part.ts';
import type { ModelRequest, Provider } from '../core/provider.ts';
import { createAnthropicProvider } from './anthropic.ts';
import { createGeminiProvider } from './gemini.ts';
import { createOpenaiResponsesProvider } from './openai-responses.ts';
import { createOpenaiProvider } from './openai.ts';
import { estimateMessageTokens } from './pricing.ts';
import { startLlmServer, type LlmServer } from './server/llm-server.ts';
import { textRequest } from './text-tools-request.ts';

const PNG = 'iVBORw0KGgo=';
const PDF = 'JVBERi0x';
const MP3 = 'SUQzBAAA';
const NOTES = Buffer.from('größer').toString('base64');

let server: LlmServer;
beforeAll(async () => {
  server = await startLlmServer({ script: { rules: [{ text: 'seen' }] } });
});
afterAll(() => server.close());

const key = { apiKey: 'key', clock: createHandClock() };
const WIRES = {
  anthropic: () => createAnthropicProvider({ ...key, baseUrl: server.origin }),
  chat: () => createOpenaiProvider({ ...key, baseUrl: `${server.origin}/v1` }),
  responses: () => createOpenaiResponsesProvider({ ...key, baseUrl: `${server.origin}/v1` }),
  gemini: () => createGeminiProvider({ ...key, baseUrl: server.origin }),
} satisfies Record<string, () => Provider>;

function requestWith(part: MediaPart): ModelRequest {
  const parts = [{ kind: 'text', value: 'Look: ' } as const, part];
  return {
    model: 'm',
    system: '',
    tools: [],
    maxOutputTokens: 64,
    inputTokens: 10,
    thread: { directive: 'd', turn: 1 },
    messages: [{ role: 'user', text: 'Look: ', parts }],
  };
}

async function send(wire: keyof typeof WIRES, part: MediaPart): Promise<unknown> {
  const before = server.requests().length;
  const sink = createRecordingSink();
  WIRES[wire]().call(requestWith(part), sink);
  const end = await sink.ended;
  if ('failed' in end) return { ...end.failed, sent: server.requests().length - before };
  expect(end.done.text).toBe('seen');
  return server.requests().at(-1)?.body;
}

const DATA_PNG = `data:image/png;base64,${PNG}`;
const text = { type: 'text', text: 'Look: ' };

describe('What is no text reaches the wire', () => {
  test.each<[wire: keyof typeof WIRES, part: MediaPart, sent: object]>([
    [
      'anthropic',
      { kind: 'image', value: PNG },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
    ],
    [
      'anthropic',
      { kind: 'image', value: 'https://a.test/b' },
      { type: 'image', source: { type: 'url', url: 'https://a.test/b' } },
    ],
    [
      'anthropic',
      { kind: 'file', value: PDF, name: 'a.pdf' },
      { type: 'document', title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: PDF } },
    ],
    [
      'anthropic',
      { kind: 'file', value: `data:text/markdown;base64,${NOTES}` },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'größer' } },
    ],
    [
      'anthropic',
      { kind: 'file', value: 'https://a.test/b.pdf' },
      { type: 'document', source: { type: 'url', url: 'https://a.test/b.pdf' } },
    ],
  ])('%s: %j', async (wire, part, sent) => {
    expect(await send(wire, part)).toMatchObject({ messages: [{ role: 'user', content: [text, sent] }] });
  });

  test.each<[part: MediaPart, sent: object]>([
    [
      { kind: 'image', value: DATA_PNG, detail: 'low' },
      { type: 'image_url', image_url: { url: DATA_PNG, detail: 'low' } },
    ],
    [
      { kind: 'image', value: 'https://a.test/b' },
      { type: 'image_url', image_url: { url: 'https://a.test/b' } },
    ],
    [
      { kind: 'file', value: PDF, name: 'a.pdf' },
      { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
    ],
    [
      { kind: 'audio', value: MP3 },
      { type: 'input_audio', input_audio: { data: MP3, format: 'mp3' } },
    ],
    [
      { kind: 'audio', value: MP3, mediaType: 'audio/x-wav' },
      { type: 'input_audio', input_audio: { data: MP3, format: 'wav' } },
    ],
  ])('chat: %j', async (part, sent) => {
    expect(await send('chat', part)).toMatchObject({ messages: [{ role: 'user', content: [text, sent] }] });
  });

  test.each<[part: MediaPart, sent: object]>([
    [
      { kind: 'image', value: PNG },
      { type: 'input_image', image_url: DATA_PNG, detail: 'auto' },
    ],
    [
      { kind: 'file', value: PDF },
      { type: 'input_file', filename: 'file', file_data: `data:application/pdf;base64,${PDF}` },
    ],
    [
      { kind: 'file', value: 'https://a.test/b.pdf' },
      { type: 'input_file', file_url: 'https://a.test/b.pdf' },
    ],
  ])('responses: %j', async (part, sent) => {
    const said = { type: 'input_text', text: 'Look: ' };
    expect(await send('responses', part)).toMatchObject({ input: [{ role: 'user', content: [said, sent] }] });
  });

  test.each<[part: MediaPart, sent: object]>([
    [{ kind: 'image', value: PNG }, { inlineData: { mimeType: 'image/png', data: PNG } }],
    [{ kind: 'file', value: PDF }, { inlineData: { mimeType: 'application/pdf', data: PDF } }],
    [{ kind: 'audio', value: MP3 }, { inlineData: { mimeType: 'audio/mpeg', data: MP3 } }],
    [
      { kind: 'file', value: 'https://a.test/f', mediaType: 'video/mp4' },
      { fileData: { fileUri: 'https://a.test/f', mimeType: 'video/mp4' } },
    ],
  ])('gemini: %j', async (part, sent) => {
    expect(await send('gemini', part)).toMatchObject({
      contents: [{ role: 'user', parts: [{ text: 'Look: ' }, sent] }],
    });
  });
});

describe('What a provider can not take is refused before the call', () => {
  test.each<[wire: keyof typeof WIRES, part: MediaPart, why: string]>([
    ['anthropic', { kind: 'audio', value: MP3 }, 'audio'],
    ['anthropic', { kind: 'image', value: PNG, mediaType: 'image/tiff' }, 'image/tiff'],
    ['anthropic', { kind: 'file', value: PNG, mediaType: 'application/zip' }, 'application/zip'],
    ['anthropic', { kind: 'image', value: 'AAAA' }, 'mediaType'],
    ['chat', { kind: 'file', value: 'https://a.test/b.pdf' }, 'URL'],
    ['chat', { kind: 'audio', value: 'https://a.test/b.mp3' }, 'URL'],
    ['chat', { kind: 'audio', value: MP3, mediaType: 'audio/flac' }, 'audio/flac'],
    ['responses', { kind: 'audio', value: MP3 }, 'audio'],
    ['gemini', { kind: 'image', value: 'AAAA' }, 'mediaType'],
    ['gemini', { kind: 'image', value: 'not base64!' }, 'base64'],
  ])('%s: %j', async (wire, part, why) => {
    expect(await send(wire, part)).toMatchObject({
      type: 'InvalidRequestError',
      code: 'content_unsupported',
      message: expect.stringContaining(why),
      statusCode: undefined,
      sent: 0,
    });
  });
});

test('tools as text leave images where they are, also behind results that become part of the message', () => {
  const image = { kind: 'image', value: PNG } as const;
  const { messages } = textRequest({
    ...requestWith(image),
    messages: [
      { role: 'user', text: 'a', parts: [{ kind: 'text', value: 'a' }, image] },
      { role: 'assistant', text: 'b', toolCalls: [{ id: 'c', name: 'read', input: {} }] },
      { role: 'tool', callId: 'c', text: 'result', isError: false },
      { role: 'user', text: 'd', parts: [image, { kind: 'text', value: 'd' }] },
    ],
  });
  expect(messages).toMatchObject([
    { text: 'a', parts: [{ value: 'a' }, image] },
    { role: 'assistant' },
    {
      text: expect.stringContaining('result'),
      parts: [{ value: expect.stringContaining('result') }, image, { value: 'd' }],
    },
  ]);
});

test.each<[part: MediaPart, tokens: number]>([
  [{ kind: 'image', value: PNG }, 5000],
  [{ kind: 'file', value: 'https://a.test/b.pdf' }, 50_000],
  [{ kind: 'file', value: 'A'.repeat(4000) }, 6000],
  [{ kind: 'audio', value: 'A'.repeat(4000) }, 5040],
])('what is no text is counted from above', (part, tokens) => {
  const plain = estimateMessageTokens({ role: 'user', text: 'x' });
  expect(estimateMessageTokens({ role: 'user', text: 'x', parts: [part] }) - plain).toBe(tokens);
});
