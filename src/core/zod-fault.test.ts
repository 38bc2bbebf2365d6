import { expect, test } from 'vitest';
import { threadCpuUs } from '../../bench/thread-cpu.ts';
import { z } from 'zod';
import { faultLine } from './zod-fault.ts';

test('What does not fit is told on one line', () => {
  const { error } = z.object({ a: z.string(), b: z.object({ c: z.int() }) }).safeParse({ b: { c: 'x' } });
  expect(error && faultLine(error)).toBe(
    '✖ Invalid input: expected string, received undefined → at a ✖ Invalid input: expected number, received string → at b.c',
  );
});

test('A long run of spaces is told quickly, and one line too', () => {
  const error = new z.ZodError([{ code: 'custom', path: [], message: `a${' '.repeat(100_000)}b \n\n c` }]);
  const startedAt = threadCpuUs();
  expect(faultLine(error)).toMatch(/a +b c$/);
  expect(threadCpuUs() - startedAt).toBeLessThan(1_000_000);
});
