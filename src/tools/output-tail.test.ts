import { expect, test } from 'vitest';
import { createOutputTail } from './output-tail.ts';

test.each([
  ['abcdef', 4, 'cdef'],
  ['abcd', 4, 'abcd'],
  ['aüb', 2, 'b'],
  ['aüb', 3, 'üb'],
  ['a€b', 3, 'b'],
  ['a😀b', 4, 'b'],
  ['a😀b', 5, '😀b'],
  ['', 4, ''],
])('The tail of %j in %i bytes is %j, however it comes', (printed, maxBytes, kept) => {
  const bytes = Buffer.from(printed);
  for (const size of [1, 2, 3, 100]) {
    const tail = createOutputTail(maxBytes);
    for (let at = 0; at < bytes.length; at += size) tail.push(bytes.subarray(at, at + size));
    expect(tail.text()).toBe(kept);
  }
});

test('No more than three bytes are taken for half a character', () => {
  const tail = createOutputTail(8);
  tail.push(Buffer.alloc(20, 0xa0));
  expect(tail.text()).toBe('\ufffd'.repeat(5));
});
