import { expect, test } from 'vitest';
import { createSseParser, type SseMessage } from './sse-parser.ts';

function read(...pieces: readonly string[]): SseMessage[] {
  const heard: SseMessage[] = [];
  const parse = createSseParser((message) => heard.push(message));
  for (const piece of pieces) parse(piece);
  return heard;
}

const hello = { event: 'hello', data: '{"a":1}', id: '7' };

test.each([
  ['whole', ['event: hello\nid: 7\ndata: {"a":1}\n\n'], [hello]],
  ['cut inside a word', ['event: he', 'llo\nid: 7\nda', 'ta: {"a":1}\n', '\n'], [hello]],
  ['with CRLF cut in two', ['event:hello\r\nid:7\r', '\ndata:{"a":1}\r\n\r', '\n'], [hello]],
  ['with heartbeats', [': still here\n\n', 'data: x\n\n'], [{ event: 'message', data: 'x', id: '' }]],
  ['of two lines', ['data: a\ndata: b\n\n'], [{ event: 'message', data: 'a\nb', id: '' }]],
  ['without data', ['event: nothing\n\n'], []],
  ['not over yet', ['data: x\n'], []],
])('A message %s is read', (_, pieces, messages) => {
  expect(read(...pieces)).toEqual(messages);
});
