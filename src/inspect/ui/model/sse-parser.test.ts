import { expect, test } from 'vitest';
import { createSseParser } from './sse-parser.ts';

function read(...pieces: readonly string[]): string[] {
  const heard: string[] = [];
  const parse = createSseParser((data) => heard.push(data));
  for (const piece of pieces) parse(piece);
  return heard;
}

const hello = '{"a":1}';

test.each([
  ['whole', ['event: hello\nid: 7\ndata: {"a":1}\n\n'], [hello]],
  ['cut inside a word', ['event: he', 'llo\nid: 7\nda', 'ta: {"a":1}\n', '\n'], [hello]],
  ['with CRLF cut in two', ['event:hello\r\nid:7\r', '\ndata:{"a":1}\r\n\r', '\n'], [hello]],
  ['with heartbeats', [': still here\n\n', 'data: x\n\n'], ['x']],
  ['of two lines', ['data: a\ndata: b\n\n'], ['a\nb']],
  ['without data', ['event: nothing\n\n'], []],
  ['not over yet', ['data: x\n'], []],
])('A message %s is read', (_, pieces, messages) => {
  expect(read(...pieces)).toEqual(messages);
});
