import { expect, test } from 'vitest';
import { decodeEvents } from '../../src/core/events.ts';
import { admit, END, scratchStore, step } from '../conformance/store-fixture.ts';

const HOUR = 3_600_000;
const NOON = 1_800_000_000_000;

test.each([
  ['back', -5 * HOUR],
  ['forward', 5 * HOUR],
])('a clock that is moved %s by hours changes neither order nor money, and keeps nothing from going on', (_, by) => {
  let now = NOON;
  using it = scratchStore({ now: () => now });
  it.store.commit([admit(1, { at: now }), step(1, 1, { at: now, reserve: 100 })]);
  now += by;
  it.store.commit([admit(2, { at: now }), step(1, 2, { at: now, settle: { reserved: 100, actual: 7 } })]);
  it.reopen();
  const ends = [step(1, 4, { at: now, status: END }), step(2, 2, { at: now, status: END })];
  expect(it.store.commit(ends)).toEqual([true, true]);
  expect(it.reader.threads({}).map(({ thread }) => thread)).toEqual([2, 1]);
  const log = decodeEvents(it.reader.events(1).join(''));
  expect(log.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  expect(it.reader.ledger(1)).toMatchObject({ actual: 7, reserved: 0 });
});
