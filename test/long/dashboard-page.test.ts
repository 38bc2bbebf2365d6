import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Page } from 'playwright-core';
import { NO_BROWSER, openPage, type WatchedPage } from '../fixtures/browser.ts';
import { faintTexts, isDark, type Faint } from '../fixtures/contrast.ts';
import { openDashboard, type OpenDashboard } from '../fixtures/open-dashboard.ts';
import {
  call,
  NEVER,
  project,
  SPAWN,
  startOn,
  THREAD_TOOLS,
  until,
  type Part,
  type Project,
} from '../fixtures/scene.ts';
import { createViewer, MAX_BUFFERED_BYTES } from '../../src/inspect/server/viewer.ts';
import type { Runtime } from '../../src/index.ts';

/** The machine may have others to serve. */
const SOON = { timeout: 20_000 };
/** Of text that is not large, by WCAG 2 (AA). */
const LEAST_CONTRAST = 4.5;

const MESSAGE = 'Take the shorter way.';
const ANSWER = `I was told: ${MESSAGE}`;

/** What a page in a tab behind another one is told; without a window none is behind. */
const HIDE =
  'Object.defineProperty(document, "hidden", { value: true }); document.dispatchEvent(new Event("visibilitychange"))';

const PARTS: Readonly<Record<string, Part>> = {
  patient: {
    tools: THREAD_TOOLS,
    says: [call(SPAWN, { directive_name: 'endless' }), { last_text: 'way', text: 'I was told: ${last.text}' }],
  },
  endless: { says: [NEVER] },
  failing: { says: [{ error: { type: 'Odd', message: 'no', status_code: 400 } }] },
  calling: { says: [call('nothing'), { text: 'Done.' }] },
  asking: { limits: { turns: 1 }, says: [call('nothing'), { text: 'Done.' }] },
};
let own: Project;
let runtime: Runtime;
let dashboard: OpenDashboard;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  if (NO_BROWSER !== undefined) return;
  own = project(PARTS);
  runtime = await startOn(own, PARTS, {
    config: { resilience: { limits: { enforcement: { on_exceed: 'escalate' } } } },
  });
  dashboard = await openDashboard(own, runtime);
  watched = await openPage(dashboard.browser, dashboard.ui.url);
  ({ page } = watched);
  page.setDefaultTimeout(SOON.timeout);
});
// There is none without a browser.
afterAll(() => dashboard?.[Symbol.asyncDispose]());
beforeEach(({ skip }) => skip(NO_BROWSER !== undefined, NO_BROWSER));

/** The page's address with no thread chosen. */
function home(): string {
  return `${dashboard.ui.url.split('#')[0]}#/`;
}

function head(text: string): Promise<void> {
  return page.locator('.thread-title').filter({ hasText: text }).waitFor();
}

async function tab(name: string): Promise<void> {
  await page.getByRole('link', { name, exact: true }).click();
  await page.locator('.tab[aria-current]').filter({ hasText: name }).waitFor();
}

/** Presses a button that asks first, and says yes. */
async function press(name: string, fill?: string): Promise<void> {
  await page
    .getByRole('button', { name: `${name}…` })
    .last()
    .click();
  const dialog = page.getByRole('dialog');
  if (fill !== undefined) await dialog.getByRole('textbox').fill(fill);
  await dialog.getByRole('button', { name, exact: true }).click();
}

/** Shows a thread by a click on its row. A row that moves while it is clicked, since another one came in, is clicked again. */
async function open(directive: string): Promise<void> {
  const row = page.getByRole('row').filter({ hasText: directive }).first();
  const title = page.locator('.thread-title').filter({ hasText: directive });
  const click = async (): Promise<void> => {
    await row.click();
    await title.waitFor({ timeout: 2_000 });
  };
  await vi.waitFor(click, SOON);
}

function shownId(): string {
  return /thread-\w+/.exec(page.url())?.[0] ?? '';
}

describe('The buttons of the page', () => {
  test('suspend a thread and resume it with a message, which its model answers', async () => {
    const handle = await runtime.spawn('patient');
    const { payload } = await until(handle, 'child_thread_started');
    await open('patient');
    await head('running');
    await press('Suspend');
    await page.getByText('Suspended: it is suspended').waitFor();
    await head('suspended');
    expect(own.row(handle.id)).toMatchObject({ status: 'suspended', suspendReason: 'user' });
    await tab('transcript');
    await press('Resume', MESSAGE);
    await page.getByText(`Resumed with: ${MESSAGE}`).waitFor();
    // It goes on to wait for its child.
    await runtime.thread(payload.child_thread_id).cancel();
    await page.getByText(ANSWER).waitFor();
    await head('completed');
    expect(await handle.result).toMatchObject({ status: 'completed', text: ANSWER });
  });

  test('fork a thread from a step, and show the one that begins there', async () => {
    const from = shownId();
    const step = page.locator('.entry').filter({ hasText: ANSWER });
    const at = Number((await step.getAttribute('id'))?.replace('step-', ''));
    await step.getByRole('button', { name: 'Fork…' }).click();
    await page.getByRole('dialog').getByText(`Fork after step ${at}?`).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Fork', exact: true }).click();
    await page.getByText('Forked: it is').waitFor();
    await expect.poll(shownId, SOON).not.toBe(from);
    await expect
      .poll(() => own.log(shownId())[0], SOON)
      .toMatchObject({ event_type: 'thread_started', payload: { forked_from: { thread: from, sequence: at } } });
    expect(own.row(from)).toMatchObject({ status: 'completed' });
  });

  test('fork a thread from a call, with what the call has given', async () => {
    const { id, result } = await runtime.spawn('calling');
    await result;
    const given = own.log(id).find(({ event_type: type }) => type === 'tool_call_result');
    await page.goto(`${home()}thread/${id}/transcript`);
    await page.locator('.entry-tool').getByRole('button', { name: 'Fork…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Fork', exact: true }).click();
    await expect.poll(shownId, SOON).not.toBe(id);
    await expect
      .poll(() => own.log(shownId())[0]?.payload, SOON)
      .toMatchObject({ forked_from: { thread: id, sequence: given?.sequence } });
    await expect
      .poll(() => own.log(shownId()).find(({ event_type: type }) => type === 'tool_call_result')?.payload, SOON)
      .toEqual({ ...given?.payload, duration_ms: 0, carried: true });
  });
});

describe('A tab of its own', () => {
  test('that is there already takes the key out of the address that it is given', async () => {
    const { page: tab } = await openPage(dashboard.browser, home());
    await tab.getByText('This page needs its key').waitFor();
    await tab.goto(dashboard.ui.url);
    await tab.getByText('● live').waitFor();
    expect(tab.url()).toBe(home());
    await tab.close();
  });

  test('is live beside hidden ones that are more than the connections a browser opens', async () => {
    const context = await dashboard.browser.newContext();
    for (let tabs = 0; tabs < 7; tabs++) {
      const tab = await context.newPage();
      await tab.goto(dashboard.ui.url);
      await expect.poll(() => tab.getByText('● live').count(), SOON).toBe(1);
      await tab.evaluate(HIDE);
    }
    await context.close();
  });

  test('with the address of a thread that there is not says so, beside a tree that is live', async () => {
    const { page: tab } = await openPage(dashboard.browser, `${dashboard.ui.url}&/thread/nope/machine`);
    await tab.getByText('The thread can’t be shown').waitFor();
    await tab.getByText('● live').waitFor();
    await expect.poll(() => tab.getByRole('row').filter({ hasText: 'patient' }).count(), SOON).toBeGreaterThan(0);
    await tab.close();
  });
});

test('a page that was too slow says how many messages were dropped, and has what they were about nevertheless', async () => {
  const handle = await runtime.spawn('patient');
  await until(handle, 'child_thread_started');
  // The page before asks for nothing more; the one that is loaded asks once, since no thread is open.
  await page.goto('about:blank');
  // What the server says to a viewer that did not read in time; after it the connection is another one.
  await page.route('**/api/live?**', async (route) => route.fulfill({ status: 200, body: await toldLate() }), {
    times: 1,
  });
  await page.goto(home());
  await page.getByText('3 dropped').waitFor();
  await page.getByText('● live').waitFor();
  const row = page.locator(`#thread-${handle.id}`);
  await row.filter({ hasText: 'running' }).waitFor();
  await runtime.orchestrator.killThread(handle.id);
  await expect.poll(() => row.innerText(), SOON).toContain('cancelled');
});

/** The server's own words for three messages that were dropped. */
async function toldLate(): Promise<string> {
  const viewer = createViewer(Date.now);
  viewer.send({ type: 'hello', is_run: true, at_ms: Date.now(), up_to: '1.1.0' });
  const tooLarge = 'x'.repeat(MAX_BUFFERED_BYTES);
  for (let message = 0; message < 3; message++) viewer.send({ type: 'log', id: tooLarge, events: [] });
  viewer.ping();
  viewer.close();
  return new Response(viewer.body).text();
}

describe('Colours', () => {
  /** Views, and how to come to them. */
  const VIEWS: Readonly<Record<string, () => Promise<void>>> = {
    threads: () => page.getByRole('heading', { name: 'Workers' }).waitFor(),
    ...Object.fromEntries(
      ['machine', 'transcript', 'prompt', 'budget', 'errors', 'timeline'].map((name) => [
        name,
        async () => {
          await open('patient');
          await tab(name);
        },
      ]),
    ),
    'an error': async () => {
      await open('failing');
      await tab('errors');
    },
    approvals: async () => {
      await page.getByRole('link', { name: 'Approvals' }).click();
      await page.locator('.approval').waitFor();
    },
    search: async () => {
      await page.getByRole('link', { name: 'Search' }).click();
      await page.getByRole('searchbox').fill('endless');
      await page.getByRole('searchbox').press('Enter');
      await page.locator('.hit mark').first().waitFor();
    },
    'what is found': async () => {
      await page.locator('.hit').first().getByRole('link').click();
      await page.locator('.entry-found').waitFor();
    },
    keys: async () => {
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Keys and marks' }).click();
      await page.getByRole('dialog').waitFor();
    },
  };

  beforeAll(async () => {
    if (NO_BROWSER !== undefined) return;
    await (
      await runtime.spawn('failing')
    ).result;
    await until(await runtime.spawn('asking'), 'approval_requested');
    await until(await runtime.spawn('patient'), 'child_thread_started');
  });

  test.each(['light', 'dark'] as const)('are readable where the system is %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.goto(home());
    expect(await isDark(page)).toBe(colorScheme === 'dark');
    const faint: Record<string, readonly Faint[]> = {};
    for (const [name, show] of Object.entries(VIEWS)) {
      await show();
      const found = await faintTexts(page, LEAST_CONTRAST);
      if (found.length > 0) faint[name] = found;
    }
    expect(faint).toEqual({});
    await page.keyboard.press('Escape');
  });

  test('are taken in turn with a key, whatever the system says', async () => {
    await page.emulateMedia({ colorScheme: 'light' });
    // No dialog of the tests before, and no field that takes the key.
    await page.goto(home());
    await page.reload();
    // Live: it listens, to keys as well.
    await page.getByText('● live').waitFor();
    for (const [name, dark] of [
      ['light', false],
      ['dark', true],
      ['auto', false],
    ] as const) {
      await page.keyboard.press('d');
      await page.getByRole('button', { name: `Colours: ${name}` }).waitFor();
      await expect.poll(() => isDark(page), SOON).toBe(dark);
    }
  });
});

test('the page has complained of nothing', () => {
  expect(watched.complaints).toEqual([]);
  expect(dashboard.ui.problems()).toBe('');
});
