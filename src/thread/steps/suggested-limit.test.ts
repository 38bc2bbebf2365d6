import { expect, test } from 'vitest';
import { admit, idOf, scratchStore, type ScratchStore } from '../../../test/conformance/store-fixture.ts';
import { raisedThread } from '../../../test/fixtures/raised.ts';
import type { LimitHit } from '../../core/limits.ts';
import type { StoreClient } from '../../core/store-client.ts';
import { suggestLimit } from './suggested-limit.ts';

test.each<[string, LimitHit, number | undefined]>([
  ['twice as much', { code: 'turns_exceeded', current: 20, max: 20 }, 40],
  ['no more than its parent was raised to', { code: 'turns_exceeded', current: 30, max: 30 }, 50],
  ['what a later resumption has left as it was', { code: 'tokens_exceeded', current: 200_000, max: 200_000 }, 300_000],
  ['nothing where its parent has no more', { code: 'turns_exceeded', current: 50, max: 50 }, undefined],
  ['no more than its parent has been started with', { code: 'duration_seconds_exceeded', current: 400, max: 400 }, 600],
])('a child is offered %s', (_name, hit, suggested) => {
  using project = scratchStore();
  project.store.commit(raisedThread());
  expect(suggestedTo(project, hit)).toEqual([suggested]);
});

test('nothing is offered below a parent whose limits are damaged', () => {
  using project = scratchStore();
  project.store.commit([admit(1)]);
  expect(suggestedTo(project, { code: 'turns_exceeded', current: 1, max: 1 })).toEqual([undefined]);
});

/** What a child of thread 1 is offered. */
function suggestedTo({ store }: ScratchStore, hit: LimitHit): unknown[] {
  const suggested: unknown[] = [];
  const services = {
    store: {
      submit: (...[op, done]: Parameters<StoreClient['submit']>) => done(store.commit([op])[0] ?? true),
      pending: () => 0,
      close: () => undefined,
    },
  };
  const lineage = { thread: 2, threadId: idOf(2), parent: 1, parentId: idOf(1), root: 1 };
  suggestLimit({ thread: { lineage }, services }, hit, (given) => suggested.push(given));
  return suggested;
}
