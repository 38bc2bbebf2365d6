// Makes the pictures of the dashboard in docs/images from a real run: npm run build && node scripts/screenshots.mjs
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openPage, startBrowser } from '../test/fixtures/browser.ts';
import { startDashboardProcess } from '../test/fixtures/dashboard-process.ts';
import { REVIEW_LEAVES, REVIEW_PARTS, REVIEW_THREADS, startReview } from '../test/fixtures/review-tree.ts';
import { project } from '../test/fixtures/scene.ts';

const IMAGES = fileURLToPath(new URL('../docs/images/', import.meta.url));
const WIDE = { width: 1280, height: 640 };
const NARROW = { width: 390, height: 844 };
/** Files that are read at a time, so that a timeline has steps. */
const WAVE = 20;

mkdirSync(IMAGES, { recursive: true });
const parent = mkdtempSync(join(tmpdir(), 'skein-shots-'));
using own = project(REVIEW_PARTS, join(parent, 'release-review'));
const review = await startReview(own);
const ui = await startDashboardProcess(own);
const browser = await startBrowser();
try {
  const { page, complaints } = await openPage(browser, ui.url, WIDE);
  await runPartly(page);
  for (const scheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: scheme });
    await shootAll(page, scheme);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(NARROW);
  await tab(page, 'transcript');
  await shoot(page, 'dashboard-thread-390');
  await page.goto(`${ui.url.split('#')[0]}#/`);
  await page.getByRole('row').first().waitFor();
  await shoot(page, 'dashboard-tree-390');
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
} finally {
  await browser.close();
  await ui[Symbol.asyncDispose]();
  await review.runtime.close({ graceMs: 0 });
  rmSync(parent, { recursive: true });
}

/** A run of which two thirds are done, with the tree open at two levels. */
async function runPartly(page) {
  await review.runtime.spawn('review/release');
  await page.locator('.top-facts').getByText(String(REVIEW_THREADS)).waitFor();
  await twist(page, 'review/release').click();
  await twist(page, 'review/area').click();
  await page.getByRole('row').filter({ hasText: 'review/file' }).nth(5).waitFor();
  const rest = REVIEW_LEAVES.files / 3;
  for (let read = 0; read < REVIEW_LEAVES.files - rest; read += WAVE) {
    review.allow(WAVE);
    // As models take their time.
    await page.waitForTimeout(600);
  }
}

async function shootAll(page, scheme) {
  await page.goto(`${ui.url.split('#')[0]}#/`);
  await page.getByRole('heading', { name: 'Workers' }).waitFor();
  await shoot(page, `dashboard-tree-${scheme}`);
  await page.getByRole('row').filter({ hasText: 'review/release' }).click();
  await tab(page, 'timeline');
  await page.locator('.gantt-row').nth(20).waitFor();
  await shoot(page, `dashboard-timeline-${scheme}`);
  await page.getByRole('row').filter({ hasText: 'review/file' }).first().click();
  await tab(page, 'machine');
  await page.locator('.chart-current').first().waitFor();
  await shoot(page, `dashboard-machine-${scheme}`);
  await tab(page, 'transcript');
  await page.locator('.entry').nth(3).waitFor();
  await shoot(page, `dashboard-transcript-${scheme}`);
}

function twist(page, directive) {
  return page.getByRole('row').filter({ hasText: directive }).getByRole('button', { name: 'Open' }).first();
}

async function tab(page, name) {
  await page.getByRole('link', { name, exact: true }).click();
  await page.locator('.tab[aria-current]').filter({ hasText: name }).waitFor();
}

async function shoot(page, name) {
  await page.screenshot({ path: join(IMAGES, `${name}.png`), animations: 'disabled' });
}
