import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHandClock, type HandClock } from '../../../test/conformance/hand-clock.ts';
import { workerSurface } from '../../../test/fixtures/worker-surface.ts';
import { refusal } from '../../../test/fixtures/scene.ts';
import type { ControlClient } from './control-client.ts';

const LOST = { code: 'worker_lost', message: 'Worker 1 has ended' } as const;

describe('The control surface of a worker', () => {
  let clock: HandClock;
  let open: DisposableStack;
  beforeEach(() => {
    clock = createHandClock();
    open = new DisposableStack();
  });
  afterEach(() => open.dispose());

  /** A worker that gives such answers, or none at all. */
  function worker(answers?: object): ControlClient {
    return workerSurface(answers, open, clock);
  }

  test('tells what the worker says, and leaves no timer behind', async () => {
    const client = worker({ inspect: () => undefined });
    expect([await client.inspect(1), clock.pending()]).toEqual([undefined, 0]);
  });

  test('gives up a worker that stands still', async () => {
    const refused = refusal(() => worker().view());
    clock.advance(5_000);
    expect(await refused).toMatchObject({ code: 'deadline_exceeded' });
  });

  test('that is closed fails what is asked at once, also later, with why', async () => {
    const client = worker();
    const refused = [refusal(() => client.view()), refusal(() => client.inspect(1))];
    client.close(LOST);
    expect(await Promise.all(refused)).toMatchObject([LOST, LOST]);
    expect(await refusal(() => client.inspect(1))).toMatchObject(LOST);
    expect(clock.pending()).toBe(0);
  });
});
