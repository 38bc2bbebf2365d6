import { expect, test } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { SYSTEM_DIR } from '../../config/default-places.ts';
import { splitSpec } from '../../core/packed-spec.ts';
import { TRUSTING } from '../../items/fixtures/trusting.ts';
import { createItemCache } from '../../items/item-cache.ts';
import { createParserRouter } from '../../items/parser-router.ts';
import { createSpaces } from '../../items/spaces.ts';
import { createUncalledProviders } from '../../providers/provider-registry.ts';
import { createHandClock } from '../../../test/conformance/hand-clock.ts';
import { wholeSpecWith } from '../../../test/fixtures/host-bench.ts';
import { createPlanCache } from './plan.ts';

const DAY = Date.UTC(2027, 0, 1);

test('a plan is kept until its model has another price', () => {
  const clock = createHandClock();
  let now = DAY - 2;
  const { config } = loadConfig({ systemDir: SYSTEM_DIR });
  const router = createParserRouter(config.extractors);
  const spaces = createSpaces({ projectPath: SYSTEM_DIR, systemSpace: `${SYSTEM_DIR}/space` }, router);
  const items = createItemCache(spaces, { router, ...TRUSTING, now: () => 0 });
  // No tool is offered: of the shelf, only that is looked at.
  const tools = { all: () => [], leftOut: () => [], version: () => 0 } as never;
  const today = { ...clock, now: () => now };
  // Sold under the name that the price table knows it by; its price changes with the year.
  const agent = {
    ...config.agent,
    providers: { ...config.agent.providers, google: { kind: 'openai', baseUrl: 'http://127.0.0.1:1' } },
  } as const;
  const plans = createPlanCache({
    config,
    items,
    providers: createUncalledProviders(agent, today),
    tools,
    clock: today,
  });
  const whole = { ...wholeSpecWith(1), directive: 'rye/agent/core/base', model: 'google:gemini-3.8-flash' };
  const { shared: spec } = splitSpec(whole);
  const plan = plans.planFor(spec);
  now = DAY - 1;
  expect(plans.planFor(spec)).toBe(plan);
  now = DAY;
  expect([plan.model.price?.input, plans.planFor(spec).model.price?.input]).toEqual([750, 1500]);
  expect(plans.planFor(spec)).toBe(plans.planFor(spec));
});
