import { expect, test } from 'vitest';
import { TIER_POLICIES } from '../../src/core/assembly.ts';
import { ProviderCache } from './provider-cache.ts';
import { replayTools } from './tool-session.ts';

test.each(
  TIER_POLICIES.filter((name) => name !== 'stability').flatMap((name) =>
    [1, 3, 10].map((calls) => [name, calls] as const),
  ),
)('With %s and %i calls a turn, nothing that was kept is out of the reach of the marks', (name, calls) => {
  const cost = replayTools(name, calls, new ProviderCache());
  expect(cost).toBe(replayTools(name, calls, new ProviderCache(Number.POSITIVE_INFINITY)));
});
