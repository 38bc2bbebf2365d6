import { expect, test } from 'vitest';
import { createGatheredText } from './gathered-text.ts';

test('What may not be told yet is looked through once a piece, however many chunks come', () => {
  let now = 0;
  let looks = 0;
  const safeEnd = (_text: string, from: number): number => {
    looks++;
    return from;
  };
  const text = createGatheredText({ throttleMs: 100, now: () => now, safeEnd });
  for (; now < 1_000; now++) {
    text.add('x');
    expect(text.isDue()).toBe(false);
  }
  expect(looks).toBe(10);
});

test('What was held back is told when it may be, with all that came after it', () => {
  let now = 0;
  let end = 0;
  const text = createGatheredText({ throttleMs: 100, now: () => now, safeEnd: () => end });
  text.add('not ');
  expect(text.isDue()).toBe(false);
  text.add('yet');
  end = 7;
  now = 100;
  expect(text.isDue()).toBe(true);
  expect([text.takeSafe(), text.isDue()]).toEqual(['not yet', false]);
});
