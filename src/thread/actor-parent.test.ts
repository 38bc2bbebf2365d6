import { expect, test } from 'vitest';
import { createActor, setup } from 'xstate';
import { createActorParent, takeObservers } from './actor-parent.ts';

const machine = setup({}).createMachine({
  initial: 'on',
  states: { on: { on: { END: 'over' } }, over: { type: 'final' } },
});

test('An actor without observers ends, is dropped by its parent, and leaves the others alone', () => {
  const parent = createActorParent();
  const start = () => {
    const actor = createActor(machine, { parent: parent.actor });
    takeObservers(actor);
    return actor.start();
  };
  const [ending, dropped, other] = [start(), start(), start()] as const;
  ending.send({ type: 'END' });
  parent.drop(dropped);
  const statuses = [ending, dropped, other, parent.actor].map((actor) => actor.getSnapshot().status);
  expect(statuses).toEqual(['done', 'stopped', 'active', 'active']);
});

test('An actor without observers refuses whoever would wait for nothing', () => {
  const actor = createActor(machine, { parent: createActorParent().actor });
  takeObservers(actor);
  expect(() => actor.subscribe(() => undefined)).toThrow('no subscribers');
  expect(() => actor.on('END', () => undefined)).toThrow('no subscribers');
});
