import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createActor, setup, type AnyStateMachine, type EventObject } from 'xstate';
import { compileMachine } from './compile.ts';
import { THREAD_ACTIONS, threadMachine } from './thread.machine.ts';

const RUNS = Number(process.env['COMPILE_RUNS'] ?? 300);

describe('A compiled machine', () => {
  test.each([
    ['thread', threadMachine, threadEvents()],
    ['nested', nestedMachine(), nestedEvents()],
  ])('moves exactly as XState moves the %s chart', (_name, machine, events) => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...events), { maxLength: 60 }), (walk) => {
        expect(runWalk(machine, walk, true)).toEqual(runWalk(machine, walk, false));
      }),
      { numRuns: RUNS },
    );
  });

  test('goes on from a persisted snapshot of the interpreted machine', () => {
    const interpreted = createActor(threadMachine, { input: input() }).start();
    for (const event of threadEvents().slice(0, 3)) interpreted.send(event);
    const snapshot = interpreted.getPersistedSnapshot();
    const compiled = createActor(compileMachine(threadMachine), { snapshot, input: input() }).start();
    compiled.send({ type: 'WITHIN_LIMITS', retrying: false });
    interpreted.send({ type: 'WITHIN_LIMITS', retrying: false });
    expect(compiled.getSnapshot().value).toEqual(interpreted.getSnapshot().value);
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
    for (const event of threadEvents().slice(0, 4)) actor.send(event);
    expect(asked).toBe(0);
    expect(actor.getSnapshot().matches('created')).toBe(false);
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

function runWalk(machine: AnyStateMachine, walk: readonly EventObject[], compiled: boolean): unknown {
  const log: string[] = [];
  const actions = Object.fromEntries(
    Object.keys(machine.implementations.actions).map((name) => [
      name,
      ({ event, context }: { event: EventObject; context: { n?: number } }) =>
        log.push(`${name}:${event.type}:${context.n}`),
    ]),
  );
  const provided = machine.provide({ actions } as never);
  const actor = createActor(compiled ? compileMachine(provided) : provided, { input: input() });
  actor.start();
  const trail = walk.map((event) => {
    if (actor.getSnapshot().status === 'active') actor.send(event);
    const snapshot = actor.getSnapshot() as ReturnType<typeof threadMachine.resolveState>;
    return {
      value: snapshot.value,
      status: snapshot.status,
      tags: [...snapshot.tags],
      can: snapshot.can({ type: 'CANCEL', reason: '' }),
    };
  });
  return { trail, log, persisted: JSON.stringify(actor.getPersistedSnapshot()) };
}

function input(): never {
  return { threadId: 'thread-0', work: { n: 1 }, n: 1 } as never;
}

function threadEvents(): ({ type: 'START' } & EventObject)[] {
  const events: EventObject[] = [
    { type: 'START' },
    { type: 'READY' },
    ...['WITHIN_LIMITS'].flatMap((type) => [true, false].map((retrying) => ({ type, retrying }))),
    ...['tools', 'record', 'end'].map((next) => ({ type: 'SETTLED', next })),
    ...[true, false].map((final) => ({ type: 'CHECKPOINTED', final })),
    ...[
      'LIMIT_HIT LIMIT_WAIVED STEP_ALLOWED RESERVED BUDGET_REFUSED ANSWERED CALL_FAILED RETRY FALL_BACK BACK_OFF_OVER RECORDED',
      'ONLY_CHILDREN_LEFT TOOLS_DONE STEP_OVER CONCLUDED REMINDED CHILDREN_LEFT CHILDREN_ENDED SUSPEND UNKNOWN',
      'STEP_ALLOWED RESERVED ANSWERED STEP_OVER TOOLS_DONE RECORDED',
    ].flatMap((names) => names.split(' ').map((type) => ({ type }))),
    ...[true, false].map((calls) => ({ type: 'RESUME', calls })),
    ...['HAND_OVER', 'FAIL', 'CANCEL'].map((type) => ({ type })),
  ];
  expect(THREAD_ACTIONS.length).toBeGreaterThan(20);
  return events as ({ type: 'START' } & EventObject)[];
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

function nestedEvents(): ({ type: 'START' } & EventObject)[] {
  const names = 'RESET LOG SELF AGAIN DEEP IN IN_AGAIN NEXT NEXT NEXT'.split(' ');
  const events: unknown = [...names.map((type) => ({ type })), { type: 'NEXT', n: 1 }, { type: 'END' }];
  return events as ({ type: 'START' } & EventObject)[];
}
