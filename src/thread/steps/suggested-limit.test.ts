import { expect, test } from 'vitest';
import { admit, idOf, scratchStore, step, type ScratchStore } from '../../../test/conformance/store-fixture.ts';
import { raisedThread } from '../../../test/fixtures/raised.ts';
import { usedUp } from '../../core/approval-amounts.ts';
import type { LimitHit } from '../../core/limits.ts';
import type { StoreClient } from '../../core/store-client.ts';
import { suggestLimit } from './suggested-limit.ts';

test.each<[string, LimitHit, number | undefined]>([
  ['twice as much', { code: 'turns_exceeded', current: 20, max: 20 }, 40],
  ['no more than its parent was raised to', { code: 'turns_exceeded', current: 30, max: 30 }, 50],
  ['what a later resumption has left as it was', { code: 'tokens_exceeded', current: 200_000, max: 200_000 }, 300_000],
  ['nothing where its parent has no more', { code: 'turns_exceeded', current: 50, max: 50 }, undefined],
  ['no more than its parent has been started with', { code: 'duration_seconds_exceeded', current: 400, max: 400 }, 600],
  ['as much again, where twice as much is used up', { code: 'tokens_exceeded', current: 350, max: 150 }, 500],
])('a child is offered %s', (_name, hit, suggested) => {
  using project = scratchStore();
  project.store.commit(raisedThread());
  expect(suggestedTo(project, hit)).toEqual([suggested]);
});

test.each<[LimitHit, number]>([
  [{ code: 'tokens_exceeded', current: 100, max: 100 }, 200],
  [{ code: 'tokens_exceeded', current: 199, max: 100 }, 200],
  [{ code: 'tokens_exceeded', current: 200, max: 100 }, 300],
  [{ code: 'tokens_exceeded', current: 283, max: 100 }, 383],
  [{ code: 'turns_exceeded', current: 0, max: 0 }, 1],
  [{ code: 'spend_exceeded', current: 5, max: 1 }, 6],
  [{ code: 'spend_exceeded', current: 5, max: 7, asked: 30 }, 35],
  // As it is stored, whole: 2 of 1, 1 of 1 and 2 of 2.
  [{ code: 'duration_seconds_exceeded', current: 1.001, max: 1 }, 3],
  [{ code: 'duration_seconds_exceeded', current: 0.9, max: 0.5 }, 2],
  [{ code: 'duration_seconds_exceeded', current: 1.6, max: 1.5 }, 3],
])('at %j a root is offered %d, which is more than it has used', (hit, suggested) => {
  using project = scratchStore();
  const request = { currentValue: hit.current, currentMax: hit.max };
  expect([suggestedTo(project, hit, 'root'), suggested > usedUp(request)]).toEqual([[suggested], true]);
});

test('nothing is offered below a parent whose limits are damaged', () => {
  using project = scratchStore();
  project.store.commit([admit(1)]);
  expect(suggestedTo(project, { code: 'turns_exceeded', current: 1, max: 1 })).toEqual([undefined]);
});

test('a child that has spent more than its parent gave it is offered what the parent has left beyond that', () => {
  using project = scratchStore();
  const child = admit(2, { parent: 1, ceiling: 300 });
  project.store.commit([admit(1), child, step(2, 1, { settle: { reserved: 0, actual: 500 } })]);
  const hit = { code: 'spend_exceeded', current: 500, max: 300, asked: 900 } as const;
  expect(suggestedTo(project, hit)).toEqual([1_000]);
});

/** What a child of thread 1 is offered, or a root. */
function suggestedTo({ store }: ScratchStore, hit: LimitHit, who: 'child' | 'root' = 'child'): unknown[] {
  const suggested: unknown[] = [];
  const services = {
    store: {
      submit: (...[op, done]: Parameters<StoreClient['submit']>) => done(store.commit([op])[0] ?? true),
      pending: () => 0,
      close: () => undefined,
    },
  };
  const above = who === 'root' ? { parent: undefined, parentId: undefined } : { parent: 1, parentId: idOf(1) };
  const lineage = { thread: 2, threadId: idOf(2), ...above, root: 1 };
  suggestLimit({ thread: { lineage }, services }, hit, (given) => suggested.push(given));
  return suggested;
}
