import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createHandClock } from '../../../test/conformance/hand-clock.ts';
import { admit, idOf, scratchStore, step } from '../../../test/conformance/store-fixture.ts';
import { loadConfig } from '../../config/load.ts';
import { encodeEvent, type EventToStore } from '../../core/events.ts';
import { restingThreads } from '../../host/operations/resting-threads.ts';
import { createProjectWindow } from '../../host/window/project-window.ts';
import { openWindow } from '../../store/window.ts';
import type { FailuresAnswer, PromptAnswer } from '../api.ts';
import type { Dashboard } from './dashboard.ts';
import { threadRoutes } from './thread-routes.ts';

const { config } = loadConfig({ systemDir: fileURLToPath(new URL('../../../config', import.meta.url)) });

/** What the routes answer about a thread whose log is so. */
async function answered<Answer>(
  path: string,
  log: readonly Omit<EventToStore, 'sequence' | 'time'>[],
): Promise<Answer> {
  using open = new DisposableStack();
  const { store, reader, path: file } = open.use(scratchStore());
  const events = log.map((event, at) => ({ ...event, sequence: at + 1, time: 1 }));
  store.commit([admit(1), ...events.map((event) => step(1, event.sequence, { lines: encodeEvent(event) }))]);
  const window = open.adopt(openWindow(file), (opened) => opened.close());
  const threads = restingThreads({ reader, config, isRun: () => false });
  const shown = createProjectWindow({ reader, window, threads, config, clock: createHandClock() });
  // Nothing else is asked for it.
  const dashboard = { reach: async () => ({ connection: { window: shown } }) } as unknown as Dashboard;
  const answer = await threadRoutes(dashboard).request(`/${idOf(1)}/${path}`);
  // The test says what it asks for.
  return (await answer.json()) as Answer;
}

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
