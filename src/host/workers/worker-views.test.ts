import { MessageChannel } from 'node:worker_threads';
import * as comlink from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHandClock, type HandClock } from '../../../test/conformance/hand-clock.ts';
import type { WorkerView } from '../../core/control-surface.ts';
import { SkeinError } from '../../core/errors.ts';
import { createControlClient, type ControlClient } from './control-client.ts';
import { viewsOf } from './worker-views.ts';

/** How long a worker may take for an answer. */
const DEADLINE_MS = 5_000;

const VIEW: WorkerView = {
  threads: 1,
  states: { 'running.calling': 1 },
  turns: 2,
  spend: 3,
  inputTokens: 4,
  cacheReadTokens: 5,
  events: 6,
  invalidEvents: {},
  openQuestions: 0,
};

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
    const { port1, port2 } = new MessageChannel();
    if (answers) comlink.expose(answers, nodeEndpoint(port2));
    open.defer(() => port1.close());
    return createControlClient(port1, clock);
  }

  test('leaves out one that stands still, and one that answers with something else', async () => {
    const views = viewsOf([worker(undefined), worker({ view: () => VIEW }), worker({ view: () => 'nothing' })]);
    await expect.poll(() => clock.pending()).toBe(1);
    clock.advance(DEADLINE_MS);
    expect(await views).toEqual([VIEW]);
  });

  test.each(['runtime_closed', 'internal'] as const)('is not told where something else is wrong: %s', async (code) => {
    const view = async (): Promise<WorkerView> => {
      throw new SkeinError(code, 'broken');
    };
    await expect(viewsOf([{ view }])).rejects.toMatchObject({ code });
  });
});
