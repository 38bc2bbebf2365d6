import { describe, expect, test } from 'vitest';
import { createActor, createMachine, type AnyStateMachine } from 'xstate';
import { namedIn, reachableEdges, stateName, writtenEdges } from '../test/fixtures/chart-edges.ts';
import { compileMachine } from './compile.ts';
import { threadChart } from './thread.chart.ts';
import { THREAD_ACTIONS, threadMachine, type ThreadAction, type ThreadMachineEvent } from './thread.machine.ts';

const HIT = { code: 'turns_exceeded', current: 1, max: 1 } as const;

/** One sample of every event, two where a guard tells them apart. */
const SAMPLES = {
  START: { type: 'START' },
  READY: { type: 'READY' },
  WITHIN_LIMITS: { type: 'WITHIN_LIMITS', retrying: false },
  'WITHIN_LIMITS(retrying)': { type: 'WITHIN_LIMITS', retrying: true },
  LIMIT_HIT: { type: 'LIMIT_HIT', hit: HIT },
  LIMIT_WAIVED: { type: 'LIMIT_WAIVED', final: false, calls: false, step: false, wait: false },
  'LIMIT_WAIVED(final)': { type: 'LIMIT_WAIVED', final: true, calls: false, step: false, wait: false },
  'LIMIT_WAIVED(calls)': { type: 'LIMIT_WAIVED', final: false, calls: true, step: true, wait: false },
  'LIMIT_WAIVED(step)': { type: 'LIMIT_WAIVED', final: false, calls: false, step: true, wait: false },
  'LIMIT_WAIVED(wait)': { type: 'LIMIT_WAIVED', final: false, calls: false, step: false, wait: true },
  STEP_ALLOWED: { type: 'STEP_ALLOWED' },
  'STEP_ALLOWED(assemble)': { type: 'STEP_ALLOWED', assemble: true },
  ASSEMBLED: { type: 'ASSEMBLED' },
  RESERVED: { type: 'RESERVED' },
  BUDGET_REFUSED: { type: 'BUDGET_REFUSED', hit: HIT },
  PROVIDER_CLOSED: { type: 'PROVIDER_CLOSED' },
  PROVIDER_OPEN: { type: 'PROVIDER_OPEN' },
  ANSWERED: { type: 'ANSWERED' },
  CALL_FAILED: { type: 'CALL_FAILED' },
  RETRY: { type: 'RETRY' },
  FALL_BACK: { type: 'FALL_BACK' },
  BACK_OFF_OVER: { type: 'BACK_OFF_OVER' },
  CONTEXT_PRESSED: { type: 'CONTEXT_PRESSED' },
  PRESSURE_SEEN: { type: 'PRESSURE_SEEN' },
  CONTEXT_FULL: { type: 'CONTEXT_FULL' },
  FULL_WAIVED: { type: 'FULL_WAIVED' },
  'SETTLED(ask)': { type: 'SETTLED', next: 'ask' },
  TOOLS_ALLOWED: { type: 'TOOLS_ALLOWED', next: 'tools' },
  'TOOLS_ALLOWED(record)': { type: 'TOOLS_ALLOWED', next: 'record' },
  'SETTLED(tools)': { type: 'SETTLED', next: 'tools' },
  'SETTLED(record)': { type: 'SETTLED', next: 'record' },
  'SETTLED(end)': { type: 'SETTLED', next: 'end' },
  RECORDED: { type: 'RECORDED' },
  ONLY_CHILDREN_LEFT: { type: 'ONLY_CHILDREN_LEFT' },
  TOOLS_DONE: { type: 'TOOLS_DONE' },
  STEP_OVER: { type: 'STEP_OVER' },
  CHECKPOINTED: { type: 'CHECKPOINTED', final: false },
  'CHECKPOINTED(final)': { type: 'CHECKPOINTED', final: true },
  CONCLUDED: { type: 'CONCLUDED' },
  REMINDED: { type: 'REMINDED' },
  CHILDREN_LEFT: { type: 'CHILDREN_LEFT' },
  CHILDREN_ENDED: { type: 'CHILDREN_ENDED', heard: true },
  'CHILDREN_ENDED(unheard)': { type: 'CHILDREN_ENDED', heard: false },
  CHILDREN_HEARD: { type: 'CHILDREN_HEARD' },
  SUCCESSOR_NEEDED: { type: 'SUCCESSOR_NEEDED' },
  HAND_OVER: { type: 'HAND_OVER', successor: { thread: 1, threadId: 'thread-1' } },
  SUSPEND: { type: 'SUSPEND', reason: 'user', message: undefined },
  RESUME: { type: 'RESUME', calls: false, step: false },
  'RESUME(calls)': { type: 'RESUME', calls: true, step: true },
  'RESUME(step)': { type: 'RESUME', calls: false, step: true },
  FAIL: { type: 'FAIL', failure: { code: 'internal', message: '' } },
  CANCEL: { type: 'CANCEL', reason: '' },
  HOLD_END: { type: 'HOLD_END', end: { type: 'CANCEL', reason: '' } },
} as const satisfies Readonly<Record<string, ThreadMachineEvent>>;

/** What may happen in every state of `running` (contracts, "States", "Cancel", "Limit checks"). */
const ANY_TIME = `CANCEL cancelled, SUSPEND suspended, FAIL error, HOLD_END running.ending,
  LIMIT_HIT running.decidingLimit`;

/** Every edge, written by hand from the contracts: `source: event target, …`. */
const EDGES = {
  created: 'START running.starting, CANCEL cancelled, FAIL error',
  'running.starting': `READY running.checkingLimits, ${ANY_TIME}`,
  'running.checkingLimits': `WITHIN_LIMITS running.beforeStep, WITHIN_LIMITS(retrying) running.reserving,
    CONTEXT_PRESSED running.compacting, CONTEXT_FULL running.contextFull,
    SUCCESSOR_NEEDED running.handingOver, ${ANY_TIME}`,
  'running.compacting': `PRESSURE_SEEN running.checkingLimits, ${ANY_TIME}`,
  'running.contextFull': `FULL_WAIVED running.checkingLimits, SUCCESSOR_NEEDED running.handingOver, ${ANY_TIME}`,
  'running.handingOver': `HAND_OVER continued, ${ANY_TIME}`,
  'running.decidingLimit': `LIMIT_WAIVED running.checkingLimits, LIMIT_WAIVED(final) running.concluding,
    LIMIT_WAIVED(calls) running.askingHooks, LIMIT_WAIVED(step) running.afterStep,
    LIMIT_WAIVED(wait) running.backingOff, ${ANY_TIME}`,
  'running.beforeStep': `STEP_ALLOWED running.reserving, STEP_ALLOWED(assemble) running.assembling, ${ANY_TIME}`,
  'running.assembling': `ASSEMBLED running.reserving, CONTEXT_FULL running.contextFull, ${ANY_TIME}`,
  'running.reserving': `RESERVED running.calling, BUDGET_REFUSED running.decidingLimit,
    PROVIDER_CLOSED running.waitingForProvider, ${ANY_TIME}`,
  'running.calling': `ANSWERED running.settling, CALL_FAILED running.classifying,
    PROVIDER_CLOSED running.waitingForProvider, ${ANY_TIME}`,
  'running.waitingForProvider': `PROVIDER_OPEN running.reserving, FALL_BACK running.checkingLimits, ${ANY_TIME}`,
  'running.classifying': `RETRY running.backingOff, FALL_BACK running.checkingLimits, ${ANY_TIME}`,
  'running.backingOff': `BACK_OFF_OVER running.checkingLimits, ${ANY_TIME}`,
  'running.settling': `SETTLED(tools) running.acting, SETTLED(record) running.recording,
    SETTLED(ask) running.askingHooks, SETTLED(end) running.afterStep, ${ANY_TIME}`,
  'running.askingHooks': `TOOLS_ALLOWED running.acting, TOOLS_ALLOWED(record) running.recording, ${ANY_TIME}`,
  'running.recording': `RECORDED running.acting, ${ANY_TIME}`,
  'running.acting': `TOOLS_DONE running.afterStep, ONLY_CHILDREN_LEFT running.waitingForChildren, ${ANY_TIME}`,
  'running.waitingForChildren': `TOOLS_DONE running.afterStep, ONLY_CHILDREN_LEFT running.waitingForChildren, ${ANY_TIME}`,
  'running.afterStep': `STEP_OVER running.checkpointing, ${ANY_TIME}`,
  'running.checkpointing': `CHECKPOINTED running.checkingLimits, CHECKPOINTED(final) running.concluding, ${ANY_TIME}`,
  'running.concluding': `CONCLUDED completed, REMINDED running.checkingLimits, CHILDREN_LEFT running.joining, ${ANY_TIME}`,
  'running.joining': `CHILDREN_ENDED completed, CHILDREN_ENDED(unheard) running.hearing, ${ANY_TIME}`,
  'running.hearing': `CHILDREN_HEARD running.joining, ${ANY_TIME}`,
  'running.ending': ANY_TIME,
  suspended:
    'RESUME running.checkpointing, RESUME(calls) running.askingHooks, RESUME(step) running.afterStep, CANCEL cancelled',
  completed: '',
  error: '',
  cancelled: '',
  continued: '',
};

describe('The thread machine', () => {
  test('has exactly the edges of the contracts', () => {
    expect(reachableEdges(threadMachine, SAMPLES, input())).toEqual(writtenEdges(EDGES));
  });

  test('has exactly the edges of the contracts when compiled', () => {
    expect(reachableEdges(compileMachine(threadMachine), SAMPLES, input())).toEqual(writtenEdges(EDGES));
  });

  test('has the states of the contracts on its outer level', () => {
    const states = 'created running suspended completed error cancelled continued';
    expect(Object.keys(threadChart.states).toSorted()).toEqual(states.split(' ').toSorted());
  });

  test.each(['completed', 'error', 'cancelled', 'continued'] as const)('never leaves %s', (state) => {
    const snapshot = threadMachine.resolveState({ value: state, context: input() });
    expect(snapshot.status).toBe('done');
    expect(Object.entries(SAMPLES).filter(([, event]) => snapshot.can(event))).toEqual([]);
  });

  test('asks for exactly the actions it lists', () => {
    expect(namedIn(threadChart, ['entry', 'exit', 'actions'])).toEqual([...THREAD_ACTIONS].toSorted());
  });

  test('knows every guard its chart names, and no other', () => {
    expect(namedIn(threadChart, ['guard'])).toEqual(Object.keys(threadMachine.implementations.guards).toSorted());
  });

  test('knows a sample of every event its chart listens to, and no other', () => {
    const listened = new Set<string>();
    JSON.stringify(threadChart, (key, value: unknown) => {
      if (key === 'on') for (const type of Object.keys(value as object)) listened.add(type);
      return value;
    });
    expect([...listened].toSorted()).toEqual([...new Set(Object.values(SAMPLES).map(({ type }) => type))].toSorted());
  });

  test('says the same in its context before and after: data is changed in place, by effects', () => {
    const actor = createActor(threadMachine, { input: input() }).start();
    const { context } = actor.getSnapshot();
    actor.send(SAMPLES.START);
    expect(actor.getSnapshot().context).toBe(context);
  });
});

describe("The thread machine's chart as JSON", () => {
  const json = JSON.stringify(threadChart);

  test('loses nothing on its way through JSON', () => {
    expect(JSON.parse(json)).toEqual(threadChart);
  });

  test('loads into createMachine with no other import', () => {
    const actor = createActor(createMachine(JSON.parse(json) as never)).start();
    expect(actor.getSnapshot().value).toBe('created');
    actor.send({ type: 'START' });
    actor.send({ type: 'READY' });
    expect(actor.getSnapshot().value).toEqual({ running: 'checkingLimits' });
    actor.send({ type: 'CANCEL' });
    expect(actor.getSnapshot()).toMatchObject({ value: 'cancelled', status: 'done' });
  });

  test('walks through a turn to the end once its guards are given', () => {
    const { guards } = threadMachine.implementations;
    const machine = createMachine(JSON.parse(json) as never).provide({ guards: guards as never });
    expect(walk(machine, ONE_TURN).at(-1)).toBe('completed');
  });
});

const ONE_TURN = [
  SAMPLES.START,
  SAMPLES.READY,
  SAMPLES.WITHIN_LIMITS,
  SAMPLES.STEP_ALLOWED,
  SAMPLES.RESERVED,
  SAMPLES.ANSWERED,
  SAMPLES['SETTLED(end)'],
  SAMPLES.STEP_OVER,
  SAMPLES['CHECKPOINTED(final)'],
  SAMPLES.CONCLUDED,
] as const;

describe.each([
  ['interpreted', (machine: AnyStateMachine) => machine],
  ['compiled', (machine: AnyStateMachine) => compileMachine(machine)],
])('The %s machine drives', (_name, prepare) => {
  test('the effects of a thread with one turn, in this order', () => {
    const calls: string[] = [];
    const machine = prepare(counting(threadChart, calls));
    expect(walk(machine, ONE_TURN).at(-1)).toBe('completed');
    expect(calls).toEqual([
      'prepare',
      'checkLimits',
      'runBeforeStep',
      'reserveBudget',
      'callModel',
      'settleCall',
      'runAfterStep',
      'saveCheckpoint',
      'conclude',
      'stopWork',
      'recordCompletion',
    ]);
  });

  test('every model call: without the edge reserving → calling there is none, whatever is sent', () => {
    const calls: string[] = [];
    const machine = prepare(counting(withoutEdge(), calls));
    walk(machine, ONE_TURN);
    for (let round = 0; round < 3; round++) walk(machine, [...ONE_TURN, ...Object.values(SAMPLES)]);
    expect(reachableEdges(machine, SAMPLES, input()).filter((edge) => edge.endsWith('> running.calling'))).toEqual([]);
    expect(calls).toContain('reserveBudget');
    expect(calls).not.toContain('callModel');
  });

  test('effects that answer by themselves: with the edge one call is made and the thread ends', () => {
    expect(runByEffects(threadChart, prepare)).toEqual({ modelCalls: 1, state: 'completed' });
  });

  test('effects that answer by themselves: without the edge no call is made and the thread stays', () => {
    expect(runByEffects(withoutEdge(), prepare)).toEqual({ modelCalls: 0, state: 'running.reserving' });
  });
});

function input(): never {
  return { threadId: 'thread-0', work: {} } as never;
}

/** The chart with the edge reserving → calling removed. */
function withoutEdge(): typeof threadChart {
  const chart = structuredClone(threadChart) as { states: { running: { states: { reserving: { on: object } } } } };
  const { reserving } = chart.states.running.states;
  expect(reserving.on).toHaveProperty('RESERVED', 'calling');
  Reflect.deleteProperty(reserving.on, 'RESERVED');
  return chart as unknown as typeof threadChart;
}

/** A machine on a chart whose actions note their names. */
function counting(chart: typeof threadChart, calls: string[]): AnyStateMachine {
  const actions = Object.fromEntries(THREAD_ACTIONS.map((name) => [name, () => void calls.push(name)]));
  return createMachine(chart as never).provide({
    actions,
    guards: threadMachine.implementations.guards as never,
  });
}

function walk(machine: AnyStateMachine, events: readonly ThreadMachineEvent[]): string[] {
  const actor = createActor(machine, { input: input() }).start();
  return events.map((event) => {
    if (actor.getSnapshot().status === 'active') actor.send(event);
    return stateName(actor.getSnapshot().value);
  });
}

/** What each effect answers in a thread of one turn. */
const ANSWERS: Partial<Readonly<Record<ThreadAction, ThreadMachineEvent>>> = {
  prepare: SAMPLES.READY,
  checkLimits: SAMPLES.WITHIN_LIMITS,
  runBeforeStep: SAMPLES.STEP_ALLOWED,
  reserveBudget: SAMPLES.RESERVED,
  callModel: SAMPLES.ANSWERED,
  settleCall: SAMPLES['SETTLED(end)'],
  runAfterStep: SAMPLES.STEP_OVER,
  saveCheckpoint: SAMPLES['CHECKPOINTED(final)'],
  conclude: SAMPLES.CONCLUDED,
};

/** Starts a thread whose effects send their results themselves, as those of a worker do; nobody else sends anything. */
function runByEffects(
  chart: typeof threadChart,
  prepare: (machine: AnyStateMachine) => AnyStateMachine,
): { modelCalls: number; state: string } {
  let modelCalls = 0;
  const actions = Object.fromEntries(
    THREAD_ACTIONS.map((name) => {
      const effect = (): void => {
        if (name === 'callModel') modelCalls++;
        const answer = ANSWERS[name];
        if (answer) actor.send(answer);
      };
      return [name, effect];
    }),
  );
  const machine = createMachine(chart as never).provide({
    actions,
    guards: threadMachine.implementations.guards as never,
  });
  const actor = createActor(prepare(machine), { input: input() }).start();
  actor.send(SAMPLES.START);
  return { modelCalls, state: stateName(actor.getSnapshot().value) };
}
