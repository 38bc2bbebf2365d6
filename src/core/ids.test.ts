import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createThreadIds, isThreadId } from './ids.ts';

describe('A thread id', () => {
  test('is a UUIDv7 in 32 hex digits', () => {
    const ids = createThreadIds(() => 0x0123_4567_89ab, randomBytes);
    for (let count = 0; count < 1000; count++) {
      expect(ids()).toMatch(/^thread-0123456789ab7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
    }
  });

  test('carries the random bytes it was made from', () => {
    const bytes = Uint8Array.from({ length: 10 }, (_, index) => 0xa1 + index);
    const ids = createThreadIds(() => 0, filledWith(bytes));
    expect(ids()).toBe('thread-00000000000071a2a3a4a5a6a7a8a9aa');
  });

  test('sorts by the time it was made', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 2 ** 48 - 1 }), { minLength: 2 }), (times) => {
        const left = [...times];
        const ids = createThreadIds(() => left.shift() ?? 0, randomBytes);
        const made = times.map((time) => ({ time, id: ids() }));
        const wrong = made.flatMap((one) => made.filter((other) => one.time < other.time && one.id >= other.id));
        expect(wrong).toEqual([]);
      }),
    );
  });

  test('is unique among 100,000 of one millisecond', () => {
    const ids = createThreadIds(() => 1, randomBytes);
    const made = new Set(Array.from({ length: 100_000 }, ids));
    expect(made.size).toBe(100_000);
  });

  test('costs no call for random bytes of its own: they are drawn in blocks and each is used once', () => {
    const drawn: number[] = [];
    let next = 0;
    const ids = createThreadIds(
      () => 0,
      (size) => {
        drawn.push(size);
        return Uint8Array.from({ length: size }, () => next++ & 0xff);
      },
    );
    const made = Array.from({ length: 512 }, ids);
    expect(drawn.length).toBeLessThanOrEqual(2);
    expect(drawn.reduce((sum, size) => sum + size, 0)).toBe(512 * 10);
    expect(made[0]?.slice(-14)).toBe('03040506070809');
    expect(made[1]?.slice(-14)).toBe('0d0e0f10111213');
  });

  test('draws nothing before the first one is asked for', () => {
    let drawn = 0;
    createThreadIds(
      () => 0,
      (size) => {
        drawn++;
        return new Uint8Array(size);
      },
    );
    expect(drawn).toBe(0);
  });
});

describe('isThreadId', () => {
  test('accepts what createThreadIds makes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), (time) => {
        expect(isThreadId(createThreadIds(() => time, randomBytes)())).toBe(true);
      }),
    );
  });

  test.each([
    '',
    'thread-',
    'thread-0123456789ab7cde8f0123456789abc',
    'thread-0123456789ab7cde8f0123456789abcde0',
    'thread-0123456789AB7CDE8F0123456789ABCD',
    'thread-0123456789ab7cde8f0123456789abcg',
    'thread_0123456789ab7cde8f0123456789abcd',
    ' thread-0123456789ab7cde8f0123456789abcd',
    'thread-0123456789ab7cde8f0123456789abcd\n',
    '__proto__',
  ])('refuses %j', (text) => {
    expect(isThreadId(text)).toBe(false);
  });
});

function filledWith(pattern: Uint8Array): (size: number) => Uint8Array {
  return (size) => Uint8Array.from({ length: size }, (_, index) => pattern[index % pattern.length] ?? 0);
}
