import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createActor,
  setup,
  type AnyActor,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type EventObject,
  type Snapshot,
  type StateValue,
} from 'xstate';
import { compileMachine } from './compile.ts';
import { supervisorMachine } from './supervisor.machine.ts';
import { threadMachine } from './thread.machine.ts';

const RUNS = Number(process.env['COMPILE_RUNS'] ?? 300);

/** Events of a walk, all actors of it together. */
const STEPS = 60;

const CHARTS: readonly (readonly [string, AnyStateMachine, readonly EventObject[]])[] = [
  ['thread', threadMachine, threadEvents()],
  ['supervisor', supervisorMachine, supervisorMachine.events.map((type) => ({ type }))],
  ['nested', nestedMachine(), nestedEvents()],
];

/** Ways to a snapshot in a state. What is live is of the chart before it has got its actions. */
const FROM: readonly (readonly [string, (machine: AnyStateMachine, at: At) => Snapshot<unknown>])[] = [
  ['a persisted', (machine, at) => machine.getPersistedSnapshot(machine.resolveState(at))],
  ['a resolved', (machine, at) => machine.resolveState(at)],
  ["an actor's", (machine, at) => createActor(machine, { snapshot: machine.resolveState(at) }).getSnapshot()],
  [
    'an edited',
    (machine, at) => {
      const elsewhere = createActor(machine, { input: input() }).getSnapshot();
      return { ...elsewhere, value: at.value, context: at.context };
    },
  ],
];
type At = { readonly value: StateValue; readonly context: never };

describe('A compiled machine', () => {
  test.each(CHARTS)(
    'moves exactly as XState moves the %s chart, on walks that take every transition',
    (_, ...chart) => {
      const [machine, events] = chart;
      const pair = pairOf(machine);
      const taken = new Set<unknown>();
      let sent = 0;
      const walk = fc.array(fc.nat(999_999), { minLength: STEPS / 2, maxLength: STEPS, size: 'max' });
      fc.assert(
        fc.property(walk, (numbers) => {
          sent += numbers.length;
          walkBoth(pair, { events, numbers, taken });
        }),
        { numRuns: RUNS },
      );
      expect(sent).toBeGreaterThanOrEqual((STEPS / 2) * RUNS);
      expect(notTaken(machine, taken)).toEqual([]);
    },
  );

  test.each(FROM.flatMap(([kind, from]) => CHARTS.map(([name, ...chart]) => [kind, name, from, chart] as const)))(
    'goes on from %s snapshot of the %s chart, in each state, with every event',
    (_kind, _name, from, [machine, events]) => {
      const pair = pairOf(machine);
      const taken = new Set<unknown>();
      for (const leaf of leavesOf(machine)) {
        const snapshot = from(machine, { value: valueOf(leaf), context: input() });
        for (const event of events) {
          const [interpreted, compiled] = [start(pair.interpreted, snapshot), start(pair.compiled, snapshot)];
          expect(canOf(compiled, events)).toEqual(canOf(interpreted, events));
          sendBoth({ interpreted, compiled, log: pair.log }, event, taken);
        }
      }
      expect(notTaken(machine, taken)).toEqual([]);
    },
  );

  test('an actor that somebody looks at takes its own actions, whichever chart its snapshot is of', () => {
    const { interpreted, log } = pairOf(threadMachine);
    const seen = compileMachine(interpreted, () => ({ event: () => undefined, snapshot: () => undefined }));
    const actor = start(seen, threadMachine.resolveState({ value: 'suspended', context: input() }));
    const resume: EventObject & { readonly calls: boolean } = { type: 'RESUME', calls: false };
    actor.send(resume);
    expect(log).not.toEqual([]);
  });

  test('a state that the chart does not have is an error, as in XState', () => {
    const { interpreted, compiled } = pairOf(threadMachine);
    const snapshot = { ...threadMachine.resolveState({ value: 'suspended', context: input() }), value: 'nowhere' };
    const ends = [interpreted, compiled].map((machine) => {
      const actor = createActor(machine, { snapshot });
      actor.subscribe({ error: () => undefined });
      const { status, error } = actor.getSnapshot() as { status: string; error: unknown };
      return [status, String(error)];
    });
    expect(ends[1]).toEqual(ends[0]);
    expect(ends[1]?.[0]).toBe('error');
  });

  test('really runs from the table: XState is not asked for a plain transition', () => {
    const machine = threadMachine.provide({});
    let asked = 0;
    const original = machine.transition.bind(machine);
    machine.transition = (...args) => {
      asked++;
      return original(...args);
    };
    const actor = createActor(compileMachine(machine), { input: input() }).start();
    actor.send({ type: 'START' });
    actor.send({ type: 'READY' });
    actor.send({ type: 'WITHIN_LIMITS', retrying: true });
    expect(asked).toBe(0);
    expect(actor.getSnapshot().value).toEqual({ running: 'reserving' });
  });

  test('starts in a resolved state without a look at what its context holds, as XState starts from it', () => {
    let looked = 0;
    const work = {
      get message(): string {
        looked++;
        return 'long';
      },
    };
    const { interpreted, compiled, log } = pairOf(threadMachine);
    const states = [interpreted, compiled].map((machine) => {
      const context = { threadId: 'thread-0' as never, work, n: 1 };
      looked = 0;
      const actor = createActor(machine, { snapshot: machine.resolveState({ value: 'suspended', context }) }).start();
      const looks = looked;
      actor.send({ type: 'RESUME', calls: false });
      const { value, status } = actor.getSnapshot();
      return { looks, moved: { value, status, actions: log.splice(0) } };
    });
    expect(states.map(({ looks }) => looks)).toEqual([1, 0]);
    expect(states[1]?.moved).toEqual(states[0]?.moved);
    expect(states[1]?.moved.actions).not.toEqual([]);
  });

  test('keeps what only looks like an actor in what a thread was told', () => {
    const told = { input: { xstate$$type: 1, id: 'forged' } };
    const context = { threadId: 'thread-0' as never, work: told };
    const snapshot = threadMachine.resolveState({ value: 'suspended', context });
    const actor = createActor(compileMachine(threadMachine), { snapshot }).start();
    expect(actor.getSnapshot().context.work).toEqual({ input: { xstate$$type: 1, id: 'forged' } });
  });

  test('takes the path of XState for an actor that somebody looks at, and tells of each transition', () => {
    const told: string[] = [];
    const unseen: string[] = [];
    const seen: string[] = [];
    const compiled = compileMachine(threadMachine, (actor) =>
      actor.id === 'seen'
        ? {
            event: ({ type }) => told.push(`${type}?`),
            snapshot: ({ value }, { type }) => told.push(`${type} ${JSON.stringify(value)}`),
          }
        : undefined,
    );
    for (const [id, list] of [
      ['seen', seen],
      ['unseen', unseen],
    ] as const) {
      const inspect = ({ type }: { type: string }): unknown => list.push(type);
      const actor = createActor(compiled, { id, input: input(), inspect }).start();
      actor.send({ type: 'START' });
      actor.send({ type: 'READY' });
    }
    expect(seen).toContain('@xstate.microstep');
    expect(unseen).not.toContain('@xstate.microstep');
    expect(told).toEqual(['START?', 'START {"running":"starting"}', 'READY?', 'READY {"running":"checkingLimits"}']);
  });

  test('leaves a chart with timers to XState as a whole', () => {
    const machine = setup({}).createMachine({ initial: 'a', states: { a: { after: { 10: 'b' } }, b: {} } });
    expect(compileMachine(machine)).toBe(machine);
  });
});

/** A chart as it is and compiled. Both write the actions they call down in the same place. */
type Pair<Of> = { readonly interpreted: Of; readonly compiled: Of; readonly log: string[] };

function pairOf(machine: AnyStateMachine): Pair<AnyStateMachine> {
  const log: string[] = [];
  type Args = { readonly event: EventObject; readonly context: { readonly n?: number } };
  const actions = Object.keys(machine.implementations.actions).map((name) => [
    name,
    ({ event, context }: Args) => log.push(`${name}:${JSON.stringify(event)}:${context.n}`),
  ]);
  const interpreted = machine.provide({ actions: Object.fromEntries(actions) } as never);
  return { interpreted, compiled: compileMachine(interpreted), log };
}

function start(machine: AnyStateMachine, snapshot?: Snapshot<unknown>): AnyActor {
  return createActor(machine, { input: input(), ...(snapshot && { snapshot }) }).start();
}

/** Whether each event would be taken. */
function canOf(actor: AnyActor, events: readonly EventObject[]): readonly boolean[] {
  const snapshot = actor.getSnapshot() as AnyMachineSnapshot;
  return events.map((event) => snapshot.can(event));
}

type Walk = {
  readonly events: readonly EventObject[];
  /** One for each step: which of the events it is that may be sent. */
  readonly numbers: readonly number[];
  readonly taken: Set<unknown>;
};

/**
 * Sends both the same events. Most are those that the state itself waits for, so that a walk gets far. When it has come to an
 * end it begins anew; now and then each goes on from what the other has persisted.
 */
function walkBoth(pair: Pair<AnyStateMachine>, { events, numbers, taken }: Walk): void {
  const { log } = pair;
  let [interpreted, compiled] = [start(pair.interpreted), start(pair.compiled)];
  for (const number of numbers) {
    if (interpreted.getSnapshot().status !== 'active')
      [interpreted, compiled] = [start(pair.interpreted), start(pair.compiled)];
    else if (number % 11 === 0) {
      const [one, other] = [interpreted.getPersistedSnapshot(), compiled.getPersistedSnapshot()];
      [interpreted, compiled] = [start(pair.interpreted, other), start(pair.compiled, one)];
    }
    sendBoth({ interpreted, compiled, log }, pick(interpreted.getSnapshot(), events, number), taken);
  }
}

/** One event in ten that the state's parents wait for, one in twenty of all there are, else one of the state's own. */
function pick(snapshot: AnyMachineSnapshot, events: readonly EventObject[], number: number): EventObject {
  const [leaf, ...parents] = snapshot._nodes.toReversed();
  const own = events.filter(({ type }) => leaf?.transitions.has(type));
  const outer = events.filter(({ type }) => parents.some((node) => node.transitions.has(type)));
  const share = number % 100;
  const wanted = share >= 15 && own.length > 0 ? own : outer;
  const among = share < 5 || wanted.length === 0 ? events : wanted;
  return among[Math.floor(number / 100) % among.length] ?? { type: 'UNKNOWN' };
}

/** Sends both one event, and holds what it leads to in the one against the other. */
function sendBoth({ interpreted, compiled, log }: Pair<AnyActor>, event: EventObject, taken: Set<unknown>): void {
  const before: AnyMachineSnapshot = interpreted.getSnapshot();
  if (before.status === 'active')
    for (const one of before.machine.getTransitionData(before, event)) taken.add(keyOf(one));
  const [expected, found] = [send(interpreted, event, log), send(compiled, event, log)];
  // Many times as fast as that of vitest.
  deepStrictEqual({ in: before.value, event, ...found }, { in: before.value, event, ...expected });
}

/** Sends an event: where it leads, and the actions on the way there. */
function send(actor: AnyActor, event: EventObject, log: string[]): Readonly<Record<string, unknown>> {
  log.length = 0;
  if (actor.getSnapshot().status === 'active') actor.send(event);
  const snapshot: AnyMachineSnapshot = actor.getSnapshot();
  return {
    actions: [...log],
    value: snapshot.value,
    status: snapshot.status,
    tags: [...snapshot.tags],
    context: snapshot.context,
    can: snapshot.can({ type: 'CANCEL', reason: '' }),
    persisted: JSON.stringify(actor.getPersistedSnapshot()),
  };
}

type StateNode = AnyStateMachine['root'];
type Transition = StateNode['transitions'] extends Map<string, (infer T)[]> ? T : never;

/** Transitions of a chart that no event has led along, but for those whose guard lets nothing through. */
function notTaken({ root }: AnyStateMachine, taken: ReadonlySet<unknown>): string[] {
  const nodes = (node: StateNode): StateNode[] => [node, ...Object.values(node.states).flatMap(nodes)];
  return nodes(root)
    .flatMap(({ transitions }) => [...transitions.values()].flat())
    .filter(({ guard }) => guard !== 'never')
    .map(keyOf)
    .filter((key) => !taken.has(key));
}

function keyOf({ source, eventType, guard, target }: Transition): string {
  return `${source.id} on ${eventType} to ${target?.[0]?.id}, if ${JSON.stringify(guard)}`;
}

function leavesOf({ root }: AnyStateMachine): StateNode[] {
  const below = (node: StateNode): StateNode[] =>
    node.type === 'compound' ? Object.values(node.states).flatMap(below) : [node];
  return below(root);
}

function valueOf({ path }: StateNode): StateValue {
  const [leaf = '', ...above] = path.toReversed();
  return above.reduce<StateValue>((inner, key) => ({ [key]: inner }), leaf);
}

function input(): never {
  return { threadId: 'thread-0', work: { n: 1 }, n: 1 } as never;
}

/** Every event of the thread's chart, those with guards in each form, and one it does not know. */
function threadEvents(): EventObject[] {
  const forms: readonly EventObject[] = [
    ...[true, false].map((retrying) => ({ type: 'WITHIN_LIMITS', retrying })),
    ...[true, false].map((assemble) => ({ type: 'STEP_ALLOWED', assemble })),
    ...['ask', 'tools', 'record', 'end'].map((next) => ({ type: 'SETTLED', next })),
    ...['tools', 'record'].map((next) => ({ type: 'TOOLS_ALLOWED', next })),
    ...[true, false].flatMap((final) => [
      { type: 'CHECKPOINTED', final },
      { type: 'LIMIT_WAIVED', final, calls: false, step: false, wait: false },
    ]),
    { type: 'LIMIT_WAIVED', final: false, calls: true, step: true, wait: false },
    { type: 'LIMIT_WAIVED', final: false, calls: false, step: true, wait: false },
    { type: 'LIMIT_WAIVED', final: false, calls: false, step: false, wait: true },
    ...[true, false].map((heard) => ({ type: 'CHILDREN_ENDED', heard })),
    ...[true, false].flatMap((calls) => [true, false].map((step) => ({ type: 'RESUME', calls, step }))),
  ];
  const others = threadMachine.events.filter((name) => !forms.some(({ type }) => type === name));
  return [...others.map((type) => ({ type })), ...forms, { type: 'UNKNOWN' }];
}

type NestedTypes = { context: { n: number }; input: { n: number } };

/** Entry, exit and transition actions on three levels, self-transitions with and without re-entry, guards that fall through. */
function nestedMachine(): AnyStateMachine {
  const names = 'inA outA inA1 outA1 inA2 inB outB inB1 inB2 outB2 go inRoot outEnd inEnd'.split(' ');
  const noop = (): void => undefined;
  return setup({
    types: { context: {} as NestedTypes['context'], input: {} as NestedTypes['input'] },
    actions: Object.fromEntries(names.map((name) => [name, noop])),
    guards: { never: () => false, always: () => true, small: ({ event }) => 'n' in event && event.n === 1 },
  }).createMachine({
    context: ({ input }) => input,
    initial: 'a',
    on: { RESET: { target: '.a', actions: 'go' }, LOG: { actions: 'go' } },
    states: {
      a: {
        entry: 'inA',
        exit: 'outA',
        initial: 'a1',
        tags: ['early'],
        on: {
          SELF: 'a',
          AGAIN: { target: 'a', reenter: true },
          DEEP: '#deep',
          IN: '.a2',
          IN_AGAIN: { target: '.a2', reenter: true },
        },
        states: {
          a1: { entry: 'inA1', exit: 'outA1', on: { NEXT: 'a2', LOG: [], SELF: { target: 'a1', actions: 'go' } } },
          a2: {
            entry: 'inA2',
            on: { NEXT: [{ guard: 'never', target: 'a1' }, { guard: 'small', target: '#deep' }, { target: 'a1' }] },
          },
        },
      },
      b: {
        entry: 'inB',
        exit: 'outB',
        initial: 'b1',
        states: {
          b1: {
            entry: 'inB1',
            initial: 'x',
            states: { x: {}, deep: { id: 'deep', on: { NEXT: '#deep', AGAIN: { target: 'deep', reenter: true } } } },
          },
          b2: { entry: 'inB2', exit: 'outB2' },
        },
        on: { SELF: { guard: 'always', target: '.b2' }, END: 'end', NEXT: { guard: 'small', target: '.b2' } },
      },
      end: { type: 'final', entry: 'inEnd', exit: 'outEnd' },
    },
  }) as never;
}

function nestedEvents(): EventObject[] {
  const names = 'RESET LOG SELF AGAIN DEEP IN IN_AGAIN NEXT END'.split(' ');
  const small: EventObject & { n: number } = { type: 'NEXT', n: 1 };
  return [...names.map((type) => ({ type })), small];
}
