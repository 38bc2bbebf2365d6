import { createActor } from 'xstate';
import { describe, expect, test } from 'vitest';
import { createHandClock } from '../../../test/conformance/hand-clock.ts';
import { createHostBench } from '../../../test/fixtures/host-bench.ts';
import { supervisorMachine, type SupervisorEvent } from '../../../machines/supervisor.machine.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import { createSupervisorTap } from './supervisor-tap.ts';

/** Whether an event is told while one thread is looked at. */
function isTold(chosen: ThreadEntry, event: SupervisorEvent): boolean {
  const actor = createActor(supervisorMachine);
  const tap = createSupervisorTap({
    clock: createHandClock(),
    clean: (text) => text,
    say: () => undefined,
    isSeen: (thread) => thread === chosen.lineage.thread,
    isWatching: () => true,
  });
  tap.entered(actor);
  return tap.onlookerOf(actor, event) !== undefined;
}

describe('Of orders, those are told that are about a thread that is looked at', () => {
  const bench = createHostBench();
  const [chosen, other] = [bench.spawn(), bench.spawn()];
  const before = { lineage: chosen.lineage, message: undefined };
  const rest = { message: undefined, limits: undefined, done: () => undefined };

  test.each<[string, SupervisorEvent, boolean]>([
    ['it is to go on', { type: 'RESUME', order: { entry: chosen, ...rest } }, true],
    ['another one is to go on', { type: 'RESUME', order: { entry: other, ...rest } }, false],
    ['it is to have a child', { type: 'SPAWN', order: { parent: chosen } }, true],
    ['a child of it is prepared', { type: 'PREPARED', order: { parent: chosen } }, true],
    ['a child of another one is prepared', { type: 'PREPARED', order: { parent: other } }, false],
    ['what goes on from it is prepared', { type: 'PREPARED', order: { parent: undefined, resumes: before } }, true],
    ['a root is asked for', { type: 'SPAWN', order: { parent: undefined } }, false],
  ])('%s', (_, event, expected) => {
    expect(isTold(chosen, event)).toBe(expected);
  });
});
