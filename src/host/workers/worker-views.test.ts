import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHandClock, type HandClock } from '../../../test/conformance/hand-clock.ts';
import { workerSurface } from '../../../test/fixtures/worker-surface.ts';
import type { WorkerCounters } from '../../core/control-surface.ts';
import { SkeinError } from '../../core/errors.ts';
import type { ControlClient } from './control-client.ts';
import { viewsOf } from './worker-views.ts';

/** How long a worker may take for an answer. */
const DEADLINE_MS = 5_000;

const COUNTERS: WorkerCounters = {
  threads: 1,
  states: { 'running.calling': 1 },
  turns: 2,
  spend: 2_500_000_000,
  inputTokens: 4,
  cacheReadTokens: 5,
  events: 6,
  invalidEvents: {},
  openQuestions: 0,
};

/** The same as it is told: money in USD. */
const VIEW = { ...COUNTERS, spend: 2.5 };

describe('What workers say of themselves', () => {
  let clock: HandClock;
  let open: DisposableStack;
  beforeEach(() => {
    clock = createHandClock();
    open = new DisposableStack();
  });
  afterEach(() => open.dispose());

  /** A worker that gives such answers, or none at all. */
  function worker(answers: { view(): unknown } | undefined): ControlClient {
    return workerSurface(answers, open, clock);
  }

  /** The views of workers with these control surfaces, the first of which is number 3. */
  function viewed(...controls: Pick<ControlClient, 'view'>[]) {
    return viewsOf(new Map(controls.map((control, at) => [at + 3, { control }])));
  }

  test('leaves out one that stands still: the numbers say whose they are', async () => {
    const views = viewed(worker({ view: () => COUNTERS }), worker(undefined), worker({ view: () => COUNTERS }));
    await expect.poll(() => clock.pending()).toBe(1);
    clock.advance(DEADLINE_MS);
    expect(await views).toEqual([
      { number: 3, ...VIEW },
      { number: 5, ...VIEW },
    ]);
  });

  test('leaves out one that is lost meanwhile', async () => {
    const lost = worker(undefined);
    const views = viewed(lost, worker({ view: () => COUNTERS }));
    lost.close({ code: 'worker_lost', message: 'gone' });
    expect(await views).toEqual([{ number: 4, ...VIEW }]);
  });

  test('is not told where one answers with something else', async () => {
    const views = viewed(worker({ view: () => COUNTERS }), worker({ view: () => 'nothing' }));
    await expect(views).rejects.toMatchObject({ code: 'internal', message: expect.stringContaining('something else') });
  });

  test.each(['runtime_closed', 'internal'] as const)('is not told where something else is wrong: %s', async (code) => {
    const view = async (): Promise<WorkerCounters> => {
      throw new SkeinError(code, 'broken');
    };
    await expect(viewed({ view })).rejects.toMatchObject({ code });
  });
});
