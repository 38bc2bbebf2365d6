import { expect, test } from 'vitest';
import { z } from 'zod';
import { faultLine } from './zod-fault.ts';

test('What does not fit is told on one line', () => {
  const { error } = z.object({ a: z.string(), b: z.object({ c: z.int() }) }).safeParse({ b: { c: 'x' } });
  expect(error && faultLine(error)).toBe(
    '✖ Invalid input: expected string, received undefined → at a ✖ Invalid input: expected number, received string → at b.c',
  );
});
