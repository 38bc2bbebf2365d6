import { describe, expect, test } from 'vitest';
import { createActor, createMachine } from 'xstate';
import type { ActorNews } from '../src/core/inspection.ts';
import { createActorTeller, type ActorTeller } from './actor-news.ts';
import { compileMachine } from './compile.ts';

const SECRET = 'hunter2-hunter2';
const CHART = createMachine({
  context: { key: SECRET, done: () => SECRET },
  initial: 'a',
  states: { a: { on: { GO: 'b' } }, b: {} },
});

function teller(): { readonly teller: ActorTeller; readonly told: ActorNews[] } {
  const told: ActorNews[] = [];
  const clean = (text: string): string => text.replaceAll(SECRET, '[redacted]');
  return { told, teller: createActorTeller({ now: () => 7, clean, say: (news) => told.push(news) }) };
}

describe('News of an actor', () => {
  test('are plain data, whatever its events and its context hold', () => {
    const { told, teller: own } = teller();
    const actor = createActor(
      compileMachine(CHART, () => onlooker),
      { id: 'one' },
    );
    const onlooker = own.onlookerFor({ actor, name: 'one', machine: 'thread' });
    own.tell({ actor, name: 'one', machine: 'thread' });
    actor.start().send({ type: 'GO', actor, done: () => undefined, key: SECRET });
    expect(structuredClone(told)).toEqual(told);
    const event = { type: 'GO', actor: expect.anything(), done: '[function done]', key: '[redacted]' };
    const ids = { sessionId: actor.sessionId, rootId: actor.sessionId, createdAt: '7' };
    expect(told).toEqual([
      { type: '@xstate.actor', ...ids, name: 'one', machine: 'thread', snapshot: { status: 'active', value: 'a' } },
      { type: '@xstate.event', ...ids, event },
      { type: '@xstate.snapshot', ...ids, event, snapshot: { status: 'active', value: 'b' } },
    ]);
    expect(JSON.stringify(told)).not.toContain(SECRET);
  });

  test('have the context that stands for its own, as it is at the time', () => {
    const { told, teller: own } = teller();
    const actor = createActor(CHART).start();
    let turns = 0;
    const context = (): object => ({ turns: ++turns });
    own.tell({ actor, name: 'one', context });
    own.tell({ actor, name: 'one', context });
    expect(told.map((news) => 'snapshot' in news && news.snapshot.context)).toEqual([{ turns: 1 }, { turns: 2 }]);
  });
});
