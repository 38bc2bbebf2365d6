import type { StatelyInspectionEvent } from '@statelyai/inspect';
import type { Browser, Page, WebSocket } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { threadChart } from '../../machines/thread.chart.ts';
import type { Runtime } from '../../src/index.ts';
import { NO_BROWSER, startBrowser } from '../fixtures/browser.ts';
import { hostedInspector, TOLD } from '../fixtures/hosted-inspector.ts';
import { rebuild } from '../fixtures/inspector-receiver.ts';
import { NEVER, scene, until, type Part, type Scene } from '../fixtures/scene.ts';

const PARTS: Readonly<Record<string, Part>> = {
  endless: { says: [NEVER] },
  quick: { says: [{ text: 'done' }] },
};
const STATELY = 'https://stately.ai/inspect';
const SOON = { timeout: 20_000 };

/** A page of the relay, with a page of ours where that of Stately would be. */
type Watched = {
  readonly page: Page;
  readonly sockets: WebSocket[];
  /** Requests in the order they came, and `script` when the page has had its own. */
  readonly order: string[];
  readonly told: () => Promise<readonly StatelyInspectionEvent[]>;
};

let it: Scene;
let browser: Browser;
let hosted: string;

beforeAll(async () => {
  if (NO_BROWSER !== undefined) return;
  it = await scene(PARTS, { workers: 2, inspect: { stately: true } });
  browser = await startBrowser();
  hosted = await hostedInspector();
});
afterAll(async () => {
  if (NO_BROWSER !== undefined) return;
  await browser?.close();
  await it?.[Symbol.asyncDispose]();
});

async function open({ inspector }: Runtime): Promise<Watched> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const [sockets, order]: [WebSocket[], string[]] = [[], []];
  page.on('websocket', (socket) => sockets.push(socket));
  await context.route(/^https:/, (route) => {
    order.push(route.request().url());
    return route.fulfill({ contentType: 'text/html', body: hosted });
  });
  await context.route('**/page.js', async (route) => {
    const response = await route.fetch();
    order.push('script');
    await route.fulfill({ response });
  });
  await page.goto(inspector?.page ?? '');
  const told = async (): Promise<readonly StatelyInspectionEvent[]> => {
    const frame = page.frames().find((each) => each.url() === STATELY);
    // What the stand-in has on its window, as data.
    return (await frame?.evaluate<readonly StatelyInspectionEvent[]>(`window.${TOLD}`)) ?? [];
  };
  return { page, sockets, order, told };
}

/** States of threads by their ids, as they are rebuilt from what was told. */
async function statesIn({ told }: Watched): Promise<Readonly<Record<string, string | undefined>>> {
  const actors = [...rebuild(await told()).values()].filter(({ actor }) => actor.name.startsWith('thread-'));
  return Object.fromEntries(actors.map(({ actor, state }) => [actor.name, state]));
}

describe.skipIf(NO_BROWSER !== undefined)(
  "The page of --inspect=stately, in a browser, with Stately's receiver in its frame",
  () => {
    let running: string;
    let watched: Watched;
    beforeAll(async () => {
      const handle = await it.runtime.spawn('endless');
      await until(handle, 'thread_started');
      running = handle.id;
      watched = await open(it.runtime);
    });

    test('hands it what runs by then, with the chart of its machine', async () => {
      await expect.poll(() => statesIn(watched), SOON).toEqual({ [running]: 'running.calling' });
      const actor = (await watched.told()).find((event) => event.type === '@xstate.actor' && event.name === running);
      expect(actor).toMatchObject({ _version: expect.any(String), sessionId: expect.stringMatching(/^worker-\d+:/) });
      const { definition } = actor as { readonly definition: string };
      expect(Object.keys((JSON.parse(definition) as typeof threadChart).states)).toEqual(
        Object.keys(threadChart.states),
      );
    });

    test('hands it what happens from then on', async () => {
      const { id, result } = await it.runtime.spawn('quick');
      await result;
      await expect
        .poll(() => statesIn(watched), SOON)
        .toMatchObject({ [id]: 'completed', [running]: 'running.calling' });
      const types = (await watched.told()).map(({ type }) => type);
      expect(new Set(types)).toEqual(new Set(['@xstate.actor', '@xstate.event', '@xstate.snapshot']));
    });

    test('opens the frame once it listens: the inspector asks once, as soon as it is there', () => {
      expect(watched.order).toEqual(['script', STATELY]);
    });

    test('hides its token from its address, and has it again when it is loaded again', async () => {
      expect(watched.page.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
      await watched.page.reload();
      await expect.poll(() => statesIn(watched), SOON).toMatchObject({ [running]: 'running.calling' });
    });

    test('answers nobody but the inspector in its frame', async () => {
      const before = watched.sockets.length;
      const connect = `postMessage({ type: '@statelyai.connected' }, '*')`;
      await watched.page.evaluate(connect);
      const popup = await watched.page.context().newPage();
      await popup.goto(STATELY);
      await watched.page.evaluate(`window.frames[0].postMessage({ type: '@statelyai.connected' }, '*')`);
      expect(watched.sockets).toHaveLength(before);
      // The real one asks again: the connection before is given up.
      const frame = watched.page.frames().find((each) => each.url() === STATELY);
      await frame?.evaluate(`parent.${connect}`);
      await expect.poll(() => watched.sockets.length, SOON).toBe(before + 1);
      await expect.poll(() => it.runtime.inspector?.counts().viewers, SOON).toBe(1);
    });

    test('may have no other page in its frame', async () => {
      const refused = watched.page.waitForEvent('console', (line) => line.text().includes('frame-src'));
      await watched.page.evaluate(`document.querySelector('iframe').src = 'https://evil.example/'`);
      expect((await refused).text()).toContain('https://evil.example');
      expect(watched.order).not.toContain('https://evil.example/');
    });
  },
);
