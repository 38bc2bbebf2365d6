import { describe, expect, test } from 'vitest';
import { createActor, setup, type AnyActorRef } from 'xstate';
import { createActorParent, dropEndedParts, dropObserverSets } from './actor-parent.ts';

const machine = setup({
  actions: {
    fail: () => {
      throw new Error('no');
    },
  },
}).createMachine({
  initial: 'on',
  states: { on: { on: { END: 'over', FAIL: { actions: 'fail' } } }, over: { type: 'final' } },
});

function createFamily() {
  const parent = createActorParent();
  const start = () => {
    const actor = createActor(machine, { parent: parent.actor });
    dropObserverSets(actor);
    return actor.start();
  };
  const [first, second] = [start(), start()] as const;
  const statuses = (): string[] =>
    [first, second, parent.actor].map((actor: AnyActorRef) => actor.getSnapshot().status as string);
  return { parent, first, statuses };
}

describe('An actor without observer sets', () => {
  test('ends, and nobody else', () => {
    const { first, statuses } = createFamily();
    first.send({ type: 'END' });
    expect(statuses()).toEqual(['done', 'active', 'active']);
  });

  test('takes no event, and can be looked at, when what was made for its end is dropped', () => {
    const { parent, first, statuses } = createFamily();
    first.send({ type: 'END' });
    expect(first).toMatchObject({ mailbox: expect.anything(), _doneEvent: expect.anything() });
    dropEndedParts(first);
    expect(first).toMatchObject({ mailbox: undefined, _doneEvent: undefined });
    first.send({ type: 'FAIL' });
    parent.drop(first);
    expect(statuses()).toEqual(['done', 'active', 'active']);
  });

  test('is stopped by its parent, and nobody else', () => {
    const { parent, first, statuses } = createFamily();
    parent.drop(first);
    expect(statuses()).toEqual(['stopped', 'active', 'active']);
  });

  test('fails by itself if an action throws', () => {
    const { first, statuses } = createFamily();
    first.send({ type: 'FAIL' });
    expect(statuses()).toEqual(['error', 'active', 'active']);
  });

  test('refuses subscribers', () => {
    const { first } = createFamily();
    expect(() => first.subscribe(() => undefined)).toThrow('no subscribers');
    expect(() => first.on('END', () => undefined)).toThrow('no subscribers');
  });
});
