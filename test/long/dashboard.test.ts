import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { multiplyThread } from '../../bench/suspended-rows.ts';
import { slowness } from '../fixtures/cost-of.ts';
import { NO_BROWSER, openPage } from '../fixtures/browser.ts';
import { openDashboard, type OpenDashboard } from '../fixtures/open-dashboard.ts';
import { NEVER, project, startOn, until, type Part } from '../fixtures/scene.ts';

const THREADS = 10_000;
const ROUNDS = 5;
const PARTS: Readonly<Record<string, Part>> = { patient: { says: [NEVER] } };

/** Notes how long tasks are, from the page's start on. */
const WATCH =
  'window.longTasks = []; new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((one) => one.duration))).observe({ type: "longtask", buffered: true });';
const PAINTED = 'performance.getEntriesByName("first-contentful-paint")[0]?.startTime';

/** Milliseconds: until something is painted, until rows are there, and of the longest task. */
type Round = {
  readonly paintMs: number;
  readonly rowsMs: number;
  readonly longestMs: number;
  readonly complaints: readonly string[];
};

let dashboard: OpenDashboard;

beforeAll(async () => {
  if (NO_BROWSER !== undefined) return;
  const own = project(PARTS);
  const first = await startOn(own, PARTS);
  const { id } = await first.spawn('patient');
  await until(first.thread(id), 'cognition_in');
  await first.close({ graceMs: 0 });
  await multiplyThread(join(own.path, '.ai', 'threads', 'threads.db'), THREADS);
  dashboard = await openDashboard(own, await startOn(own, PARTS));
});
// There is none without a browser.
afterAll(() => dashboard?.[Symbol.asyncDispose]());
beforeEach(({ skip }) => skip(NO_BROWSER !== undefined, NO_BROWSER));

test('10,000 suspended threads are there within two seconds, and no task of the page is longer than 200 ms', async () => {
  const rounds: Round[] = [];
  while (rounds.length < ROUNDS) {
    const context = await dashboard.browser.newContext({ viewport: { width: 1_280, height: 800 } });
    await context.addInitScript(WATCH);
    const { page, complaints } = await openPage(context, dashboard.ui.url);
    await page.getByRole('row').filter({ hasText: 'patient' }).first().waitFor();
    // Numbers that are there in the page alone, here and below.
    const rowsMs = (await page.evaluate('performance.now()')) as number;
    await page.getByText('10,000 threads').waitFor();
    const tree = page.getByRole('treegrid');
    // To the end of what has been read, which reads the next page, until all is read.
    await expect
      .poll(
        async () => {
          await tree.press('End');
          return Number(await tree.getAttribute('aria-rowcount'));
        },
        { timeout: 60_000 },
      )
      .toBe(THREADS);
    await tree.press('Enter');
    await page.locator('.chart-current').first().waitFor();
    const paintMs = (await page.evaluate(PAINTED)) as number;
    const longTasks = (await page.evaluate('longTasks')) as number[];
    const round = { paintMs, rowsMs, longestMs: Math.max(0, ...longTasks), complaints };
    console.info(round);
    rounds.push(round);
    await context.close();
  }
  expect(rounds.flatMap(({ complaints }) => complaints)).toEqual([]);
  // What the page makes long is long in every round; what the machine does beside it, or the browser once for the first page that
  // it loads, may be in one of them.
  const worst = (of: (round: Round) => number): readonly number[] =>
    rounds.map(of).toSorted((one, other) => other - one);
  const [rowsFirst, rowsSecond] = worst(({ paintMs, rowsMs }) => Math.max(paintMs, rowsMs));
  expect(rowsSecond).toBeLessThan(2_000);
  expect(rowsFirst).toBeLessThan(4_000);
  const [, taskSecond = Number.NaN] = worst(({ longestMs }) => longestMs);
  expect(taskSecond / slowness()).toBeLessThanOrEqual(200);
});
