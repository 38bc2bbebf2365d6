import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { isTooWide, NO_BROWSER, openPage, type WatchedPage } from '../fixtures/browser.ts';
import { openDashboard, type OpenDashboard } from '../fixtures/open-dashboard.ts';
import {
  RARE_WORD,
  REVIEW_LEAVES,
  REVIEW_PARTS,
  REVIEW_SIBLINGS,
  REVIEW_THREADS,
  startReview,
  TALK,
  type Review,
} from '../fixtures/review-tree.ts';
import { project, type Project } from '../fixtures/scene.ts';

/** The machine may have others to serve; totals are counted once a second at most. */
const SOON = { timeout: 20_000 };

/** Pixels below what is in view of the pane at the right. */
const LEFT_BELOW =
  '(({scrollHeight, scrollTop, clientHeight}) => scrollHeight - scrollTop - clientHeight)(document.querySelector("#main"))';

/** Whether the entry that was asked for begins in view of the pane at the right. */
const FOUND_IN_VIEW =
  '((one, pane) => one.top >= pane.top && one.top < pane.bottom)(...[".entry-found", "#main"].map((name) => document.querySelector(name).getBoundingClientRect()))';

/** The key for the search, and the name of what is written to before any other task has run. */
const FOCUSED_BY_SLASH = `(async () => {
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true }));
  for (let tick = 0; tick < 10; tick++) await Promise.resolve();
  return document.activeElement.getAttribute('aria-label');
})()`;

let own: Project;
let review: Review;
let dashboard: OpenDashboard;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  if (NO_BROWSER !== undefined) return;
  own = project(REVIEW_PARTS);
  review = await startReview(own);
  dashboard = await openDashboard(own, review.runtime);
  watched = await openPage(dashboard.browser, dashboard.ui.url);
  ({ page } = watched);
  page.setDefaultTimeout(SOON.timeout);
});

// There is none without a browser.
afterAll(() => dashboard?.[Symbol.asyncDispose]());

beforeEach(({ skip }) => skip(NO_BROWSER !== undefined, NO_BROWSER));

/** Rows of the tree with this directive that stand so. */
function rows(directive: string, status = ''): Locator {
  return page.getByRole('row').filter({ hasText: directive }).filter({ hasText: status });
}

function twist(directive: string): Locator {
  return rows(directive).getByRole('button', { name: 'Open the children' }).first();
}

/** How many threads the overview says stand so. */
async function counted(status: string): Promise<number> {
  const count = page.locator('.overview .counts-list li').filter({ hasText: status }).locator('.number');
  return (await count.count()) === 0 ? 0 : Number(await count.innerText());
}

/** Goes down from the first line to a thread of this directive; siblings stand in the order in which they were admitted. */
async function keyTo(directive: string): Promise<void> {
  const active = page.locator('.row-active');
  for (let line = 0; line < REVIEW_SIBLINGS; line++) {
    await page.keyboard.press('ArrowDown');
    await page.locator(`.row-active[aria-rowindex="${line + 2}"]`).waitFor();
    if ((await active.innerText()).includes(directive)) return;
  }
  throw new Error(`No line of ${directive} among the first ${REVIEW_SIBLINGS}`);
}

function head(text: string): Promise<void> {
  return page.locator('.thread-title').filter({ hasText: text }).waitFor();
}

test('the tree of a fan-out comes, and moves as its threads do, without being asked', async () => {
  await page.getByText('No threads').waitFor();
  await page.getByText('● live').waitFor();
  await review.runtime.spawn('review/release');
  await rows('review/release', 'running').waitFor();
  await expect.poll(() => page.locator('.top-facts').innerText(), SOON).toContain(`${REVIEW_THREADS} threads`);
  await twist('review/release').click();
  await expect.poll(() => rows('review/area', 'running').count(), SOON).toBe(10);
  await twist('review/area').click();
  await expect.poll(() => rows('review/file', 'running').count(), SOON).toBeGreaterThan(5);
  const before = await counted('completed');
  review.allow(30);
  await expect.poll(() => counted('completed'), SOON).toBeGreaterThanOrEqual(before + 30);
});

test('a thread that is opened shows its machine and what is said, to its end', async () => {
  await rows('review/area', 'running').last().getByRole('button').click();
  await rows('review/file', 'running').last().click();
  await head('running');
  await page.locator('.chart-current').first().waitFor();
  await page.getByRole('link', { name: 'transcript', exact: true }).click();
  await page.getByText('I will read the file and look at its edges.').waitFor();
  await page.getByText('▶ running').waitFor();
  review.allow(REVIEW_LEAVES.files);
  await page.getByText('✓ done').first().waitFor();
  await head('completed');
  // What has come last is in view.
  await expect.poll(() => page.evaluate(LEFT_BELOW), SOON).toBeLessThan(80);
  const id = /thread-\w+/.exec(page.url())?.[0] ?? '';
  expect(own.row(id)).toMatchObject({ directive: 'review/file', status: 'completed' });
});

test('what a model says is shown while it says it', async () => {
  await page.getByRole('treegrid').press('End');
  await twist('review/translations').click();
  // With that of its parent.
  await expect.poll(() => rows('review/translation', 'running').count(), SOON).toBe(REVIEW_LEAVES.translations + 1);
  await rows('review/translation', 'running').last().click();
  await head('review/translation');
  await page.getByRole('link', { name: 'transcript', exact: true }).click();
  const answer = page.locator('.entry[aria-busy] .entry-text');
  const said = async (): Promise<string> => (await answer.textContent()) ?? '';
  await answer.waitFor();
  const before = await said();
  await expect.poll(async () => (await said()).length, SOON).toBeGreaterThan(before.length + TALK.length);
  expect(TALK.repeat(2_000).startsWith(await said())).toBe(true);
  await rows('review/translations').getByRole('button', { name: 'Close' }).click();
});

test('a question is granted, and the thread is seen to finish', async () => {
  await page.getByRole('link', { name: 'Approvals 1' }).click();
  await page.locator('.approval').getByRole('link', { name: 'review/licence' }).click();
  await head('suspended');
  await page.getByRole('button', { name: 'Grant' }).click();
  await page.getByText('review/licence: granted').waitFor();
  await head('completed');
  await page.getByText('All licences allow what the release does with them.').waitFor();
  await expect.poll(() => page.getByRole('link', { name: 'Approvals' }).innerText(), SOON).toBe('Approvals');
});

test('a thread is cancelled with everything below it, after a question', async () => {
  await page.getByRole('treegrid').press('End');
  await rows('review/translations').click();
  await head('running');
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await page.getByRole('dialog').getByText('With everything below it').click();
  await page.getByRole('button', { name: 'Cancel the thread' }).click();
  await head('cancelled');
  await twist('review/translations').click();
  // The first of its children, below its own row.
  await rows('review/translation', 'cancelled').nth(1).waitFor();
  await page.getByRole('treegrid').press('End');
  await expect.poll(() => rows('review/translation', 'cancelled').count(), SOON).toBe(REVIEW_LEAVES.translations + 1);
  await page.getByRole('treegrid').press('Home');
  await rows('review/release', 'completed').waitFor();
});

test('a chip lists the threads of one state, of whatever level, and takes in those that come to stand so', async () => {
  const chip = page.getByRole('group', { name: 'Only threads that are' }).getByRole('button', { name: 'cancelled' });
  await chip.click();
  const all = REVIEW_LEAVES.translations + 1;
  await expect.poll(() => rows('review/', 'cancelled').count(), SOON).toBe(all);
  await expect.poll(() => chip.innerText(), SOON).toMatch(new RegExp(`\\b${all}$`));
  expect(await page.getByRole('row').filter({ hasText: 'review/' }).count()).toBe(all);
  await chip.click();
  await rows('review/release').waitFor();
  expect(await rows('review/').count()).toBe(1);
  await twist('review/release').click();
  await twist('review/translations').click();
});

test('what was said is found in all transcripts', async () => {
  await page.getByRole('link', { name: 'Search' }).click();
  await page.getByRole('searchbox').fill(RARE_WORD);
  await page.getByRole('searchbox').press('Enter');
  await expect.poll(() => page.locator('.hit mark').first().innerText(), SOON).toBe(RARE_WORD);
  await page.getByText(`found in ${REVIEW_THREADS} threads`).waitFor();
  await page.locator('.hit').first().getByRole('link').click();
  await head('review/changelog');
  // What is found is in view, unfolded.
  await page.locator('.entry-found').getByText(RARE_WORD).last().waitFor();
  await expect.poll(() => page.evaluate(FOUND_IN_VIEW), SOON).toBe(true);
  // The tab alone is at its end again.
  await page.getByRole('link', { name: 'transcript', exact: true }).click();
  await page.locator('.entry-found').waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate(LEFT_BELOW), SOON).toBeLessThan(80);
  await page.getByRole('link', { name: 'errors', exact: true }).click();
  await page.getByText('Too many requests').first().waitFor();
});

test('all that can be done without a pointer', async () => {
  const { keyboard } = page;
  await keyboard.press('Escape');
  await page.getByText('Choose a thread').waitFor();
  await keyboard.press('t');
  for (const key of ['Home', 'ArrowLeft']) await keyboard.press(key);
  await expect.poll(() => rows('review/').count(), SOON).toBe(1);
  await keyboard.press('ArrowRight');
  // Its children are read first.
  await rows('review/area').first().waitFor();
  await keyTo('review/area');
  await keyboard.press('Enter');
  await head('review/area');
  await keyboard.press('6');
  await page.locator('.gantt-row').nth(2).waitFor();
  await keyboard.press('/');
  await keyboard.type('purple');
  await keyboard.press('Enter');
  await page.getByText(`0 found in ${REVIEW_THREADS} threads`).waitFor();
  // Out of the field, where keys are text.
  for (const key of ['Tab', 'Tab', '?']) await keyboard.press(key);
  await page.getByRole('dialog').waitFor();
  await keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count(), SOON).toBe(0);
});

test('keys of one character are switched off, and stay so', async () => {
  const { keyboard } = page;
  const colours = page.getByRole('button', { name: 'Colours: auto' });
  const switchKeys = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Keys and marks' }).click();
    await page.getByRole('dialog').getByRole('checkbox').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  };
  await switchKeys();
  await page.reload();
  await page.getByText('● live').waitFor();
  for (const key of ['d', '?', 't']) await keyboard.press(key);
  await page.getByRole('link', { name: 'Approvals' }).click();
  await keyboard.press('Escape');
  await page.getByText('Choose a thread').waitFor();
  expect([await colours.count(), await page.getByRole('dialog').count()]).toEqual([1, 0]);
  await switchKeys();
  await keyboard.press('a');
  await page.getByText('No thread waits for a person.').waitFor();
});

test('a key belongs to what the key before it has shown, however fast they come', async () => {
  await page.getByRole('link', { name: 'Threads', exact: true }).first().click();
  await page.getByText('Choose a thread').waitFor();
  expect(await page.evaluate(FOCUSED_BY_SLASH)).toBe('Text in transcripts');
});

test('at 390 pixels nothing is wider than the page', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  const wide: string[] = [];
  const look = async (view: string): Promise<void> => {
    if (await isTooWide(page)) wide.push(view);
  };
  await page.getByRole('link', { name: 'Threads', exact: true }).first().click();
  await rows('review/release').waitFor();
  await look('threads');
  await rows('review/release').click();
  await head('review/release');
  for (const tab of ['transcript', 'prompt', 'budget', 'errors', 'timeline', 'machine']) {
    await page.getByRole('link', { name: tab, exact: true }).click();
    await page.locator('.tab[aria-current]').filter({ hasText: tab }).waitFor();
    await look(tab);
  }
  await page.getByRole('link', { name: 'Approvals' }).click();
  await page.getByText('No thread waits for a person.').waitFor();
  await look('approvals');
  expect(wide).toEqual([]);
});

test('the page has asked nothing of others, and nobody has complained', () => {
  expect(watched.complaints).toEqual([]);
  expect(dashboard.ui.problems()).toBe('');
});
