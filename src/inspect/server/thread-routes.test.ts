import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createHandClock } from '../../../test/conformance/hand-clock.ts';
import { admit, END, idOf, scratchStore, step, type ScratchStore } from '../../../test/conformance/store-fixture.ts';
import { loadConfig } from '../../config/load.ts';
import { encodeEvent, type EventToStore } from '../../core/events.ts';
import { restingThreads } from '../../host/operations/resting-threads.ts';
import { createProjectWindow } from '../../host/window/project-window.ts';
import { openWindow } from '../../store/window.ts';
import type { FailuresAnswer, LevelAnswer, PromptAnswer } from '../api.ts';
import type { Dashboard } from './dashboard.ts';
import { threadRoutes } from './thread-routes.ts';
import { createTotals } from './totals.ts';

const { config } = loadConfig({ systemDir: fileURLToPath(new URL('../../../config', import.meta.url)) });

type Served = Disposable & {
  readonly store: ScratchStore['store'];
  get<Answer>(path: string): Promise<Answer>;
};

/** The routes of a project in which nothing has run yet. */
function served(): Served {
  const open = new DisposableStack();
  const { store, reader, path: file } = open.use(scratchStore());
  const window = open.adopt(openWindow(file), (opened) => opened.close());
  const threads = restingThreads({ reader, config, isRun: () => false });
  const clock = createHandClock();
  const shown = createProjectWindow({ reader, window, threads, config, clock });
  const reached = { connection: { window: shown }, totals: createTotals(shown, clock) };
  // Nothing else is asked for it.
  const routes = threadRoutes({ reach: async () => reached } as unknown as Dashboard);
  return {
    store,
    // The test says what it asks for.
    get: async <Answer>(path: string) => (await (await routes.request(path)).json()) as Answer,
    [Symbol.dispose]: () => open.dispose(),
  };
}

/** What the routes answer about a thread whose log is so. */
async function answered<Answer>(
  path: string,
  log: readonly Omit<EventToStore, 'sequence' | 'time'>[],
): Promise<Answer> {
  using it = served();
  const events = log.map((event, at) => ({ ...event, sequence: at + 1, time: 1 }));
  it.store.commit([admit(1), ...events.map((event) => step(1, event.sequence, { lines: encodeEvent(event) }))]);
  return await it.get(`/${idOf(1)}/${path}`);
}

test('Threads that stand so are found on every level, newest first, page by page', async () => {
  using it = served();
  const children = Array.from({ length: 2_500 }, (_, at) => at + 2);
  const failed = new Set([3, 4, 2_400]);
  const ending = { to: 'error', ending: '{"status":"error"}' } as const;
  it.store.commit([
    admit(1, { ceiling: 2_500 }),
    ...children.map((thread) => admit(thread, { parent: 1, ceiling: 1 })),
    ...children.map((thread) => step(thread, 1, { status: failed.has(thread) ? ending : END })),
    step(1, 1, { status: END }),
  ]);
  const page = (after: string): Promise<LevelAnswer> =>
    it.get<LevelAnswer>(`/?parent=all&status=error&limit=2${after}`);
  const found: string[] = [];
  for (let after = ''; ;) {
    const { parent, totals, threads, next } = await page(after);
    expect({ parent, counts: totals.counts }).toEqual({ parent: 'all', counts: { completed: 2_498, error: 3 } });
    found.push(...threads.map(({ id }) => id));
    if (next === undefined) break;
    after = `&after=${next}`;
  }
  expect(found).toEqual([2_400, 4, 3].map(idOf));
});

test('A prompt says how long its parts are, and which of them are cut', async () => {
  const { parts } = await answered<PromptAnswer>('prompt', [
    { event_type: 'system_prompt', payload: { text: 's'.repeat(45_000), layers: ['base'] } },
    { event_type: 'context_injected', payload: { before: ['clock'], after: [] } },
    {
      event_type: 'cognition_in',
      payload: {
        text: 'u'.repeat(5_000),
        role: 'user',
        directive: 'demo',
        parts: [{ type: 'text', text: 'u'.repeat(90_000) }],
      },
    },
  ]);
  expect(parts).toEqual([
    {
      role: 'system',
      text: expect.stringMatching(/^s+\[\d+ characters left out\]$/),
      length: 45_000,
      cut: true,
      sources: [{ kind: 'layer', id: 'base' }],
      sequence: 1,
    },
    {
      role: 'user',
      // What else is in its event leaves room for it.
      text: 'u'.repeat(5_000),
      length: 5_000,
      sources: [
        { kind: 'before', id: 'clock' },
        { kind: 'directive', id: 'demo' },
      ],
      sequence: 3,
    },
  ]);
});

test('Failures are found part by part, however much was said after them', async () => {
  const said = { event_type: 'cognition_in', payload: { text: 's'.repeat(900_000), role: 'user' } } as const;
  const failed = {
    event_type: 'error_classified',
    payload: { error_code: 'provider_failed', category: 'transient', message: 'boom', retryable: true },
  } as const;
  const log = [failed, ...Array.from({ length: 12 }, () => said)];
  const end = await answered<FailuresAnswer>('failures', log);
  expect(end).toMatchObject({ events: [], before: expect.any(Number), up_to: 13 });
  const start = await answered<FailuresAnswer>(`failures?before=${end.before}`, log);
  expect(start).toEqual({
    id: idOf(1),
    events: [expect.objectContaining({ sequence: 1, event_type: 'error_classified' })],
    up_to: (end.before ?? 0) - 1,
  });
});
