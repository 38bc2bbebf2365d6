import { expect, test } from 'vitest';
import { createEventRate } from './event-rate.ts';

test('is 0 before there are two samples', () => {
  const rate = createEventRate();
  expect(rate.perSecond()).toBe(0);
  rate.sample(100, 0);
  expect(rate.perSecond()).toBe(0);
});

test('follows what happened in the last two seconds', () => {
  const rate = createEventRate();
  for (let ms = 0; ms <= 10_000; ms += 100) rate.sample(ms, ms);
  expect(rate.perSecond()).toBeCloseTo(1000);
  for (let ms = 10_100; ms <= 13_000; ms += 100) rate.sample(10_000, ms);
  expect(rate.perSecond()).toBe(0);
});
