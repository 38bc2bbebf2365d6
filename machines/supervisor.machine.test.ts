import { describe, expect, test } from 'vitest';
import { createActor, createMachine, type AnyStateMachine } from 'xstate';
import { namedIn, reachableEdges, writtenEdges } from '../test/fixtures/chart-edges.ts';
import { compileMachine } from './compile.ts';
import { supervisorChart } from './supervisor.chart.ts';
import { SUPERVISOR_ACTIONS, supervisorMachine, type SupervisorEvent } from './supervisor.machine.ts';

const SAMPLES = {
  READY: { type: 'READY' },
  FAILED: { type: 'FAILED', problem: undefined },
  SPAWN: { type: 'SPAWN', order: {} },
  PREPARED: { type: 'PREPARED', order: {} },
  ADMITTED: { type: 'ADMITTED', thread: 1 },
  SLOT_FREE: { type: 'SLOT_FREE' },
  WAITING: { type: 'WAITING', thread: 1 },
  ENDED: { type: 'ENDED', thread: 1, ending: {} },
  CONTINUED: { type: 'CONTINUED', thread: 1, ending: {}, successor: {} },
  SUSPENDED: { type: 'SUSPENDED', thread: 1, reason: 'user', cost: undefined },
  RESUME: { type: 'RESUME', order: {} },
  CANCEL: { type: 'CANCEL', thread: 1, reason: '' },
  DRAIN: { type: 'DRAIN', graceMs: 1 },
  GRACE_OVER: { type: 'GRACE_OVER' },
  EMPTY: { type: 'EMPTY' },
} as const satisfies Readonly<Record<SupervisorEvent['type'], SupervisorEvent>>;

/** What goes on whether or not something new is admitted. */
const RUNNING = (state: string): string =>
  ['SLOT_FREE', 'WAITING', 'ENDED', 'CONTINUED', 'SUSPENDED', 'CANCEL'].map((type) => `${type} ${state}`).join(', ');

/** Every edge, written by hand from issue and architecture: `source: event target, …`. */
const EDGES = {
  starting: 'READY accepting, FAILED stopped',
  accepting: `SPAWN accepting, PREPARED accepting, ADMITTED accepting, RESUME accepting, ${RUNNING('accepting')},
    DRAIN draining, FAILED stopped`,
  draining: `ADMITTED draining, DRAIN draining, GRACE_OVER draining, ${RUNNING('draining')}, EMPTY stopped, FAILED stopped`,
  stopped: '',
};

describe.each<[string, AnyStateMachine]>([
  ['interpreted', supervisorMachine],
  ['compiled', compileMachine(supervisorMachine)],
])('The %s supervisor machine', (_name, machine) => {
  test('has exactly the edges it is meant to have', () => {
    expect(reachableEdges(machine, SAMPLES)).toEqual(writtenEdges(EDGES));
  });

  test('runs the action of each event in the phase that allows it', () => {
    const accepting = actionsOf(machine, [SAMPLES.READY], 'accepting');
    const draining = actionsOf(machine, [SAMPLES.READY, SAMPLES.DRAIN], 'draining');
    const both = {
      SLOT_FREE: ['assignThreads'],
      WAITING: ['yieldSlot'],
      ENDED: ['endThread'],
      SUSPENDED: ['suspendThread'],
      CANCEL: ['cancelTree'],
      FAILED: ['stop'],
    };
    expect(accepting).toEqual({
      ...both,
      SPAWN: ['prepareThread'],
      PREPARED: ['admitThread'],
      ADMITTED: ['queueThread'],
      RESUME: ['resumeThread'],
      CONTINUED: ['continueThread'],
      DRAIN: ['refuseQueued'],
    });
    expect(draining).toEqual({
      ...both,
      ADMITTED: ['keepThread'],
      CONTINUED: ['keepSuccessor'],
      DRAIN: ['shortenGrace'],
      GRACE_OVER: ['suspendRest'],
      EMPTY: ['stop'],
    });
  });
});

describe('The supervisor machine', () => {
  test('asks for exactly the actions it lists', () => {
    expect(namedIn(supervisorChart, ['entry', 'exit', 'actions'])).toEqual([...SUPERVISOR_ACTIONS].toSorted());
  });

  test('has the phases of the issue', () => {
    expect(Object.keys(supervisorChart.states)).toEqual(['starting', 'accepting', 'draining', 'stopped']);
  });

  test('loads as JSON into createMachine with no other import and walks to the end', () => {
    const actor = createActor(createMachine(JSON.parse(JSON.stringify(supervisorChart)) as never)).start();
    for (const type of ['READY', 'SPAWN', 'DRAIN', 'GRACE_OVER', 'EMPTY']) actor.send({ type });
    expect(actor.getSnapshot()).toMatchObject({ value: 'stopped', status: 'done' });
  });
});

/** Which actions each event runs in a phase, events without any left out. */
function actionsOf(
  machine: AnyStateMachine,
  way: readonly SupervisorEvent[],
  phase: string,
): Record<string, readonly string[]> {
  const found = Object.values(SAMPLES).map((event): [string, string[]] => {
    const ran: string[] = [];
    const actions = Object.fromEntries(SUPERVISOR_ACTIONS.map((name) => [name, () => void ran.push(name)]));
    const provided = machine.provide({ actions } as never);
    const actor = createActor(machine === supervisorMachine ? provided : compileMachine(provided)).start();
    for (const step of way) actor.send(step);
    expect(actor.getSnapshot().value).toBe(phase);
    ran.length = 0;
    actor.send(event);
    return [event.type, ran];
  });
  return Object.fromEntries(found.filter(([, ran]) => ran.length > 0));
}
