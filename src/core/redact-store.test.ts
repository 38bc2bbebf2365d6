import { expect, test } from 'vitest';
import { admit, step } from '../../test/conformance/store-fixture.ts';
import { createRedactor, REDACTED } from './redactor.ts';
import { withoutSecrets } from './redact-store.ts';
import type { ContinueOp, StoreOp } from './store.ts';

const SECRET = 'kelp-and-moss-1';
const SAID = JSON.stringify({ inbox: [`use ${SECRET}`] });

/** What gets to the store of an operation. */
function stored(op: StoreOp): StoreOp[] {
  const ops: StoreOp[] = [];
  const store = { submit: (given: StoreOp) => void ops.push(given), pending: () => 0, close: () => undefined };
  withoutSecrets(store, createRedactor([SECRET])).submit(op, () => undefined);
  return ops;
}

const { type: _, parent: __, ceiling: ___, predecessor: ____, ...row } = admit(2, { spec: SAID });
const handOver: ContinueOp = {
  type: 'continue',
  end: step(1, 1, { lines: SAID, status: { to: 'continued', ending: SAID } }),
  successor: { ...row, checkpoint: { turn: 1, state: SAID } },
};

test.each<[string, StoreOp, number]>([
  ['a step with a checkpoint', step(1, 1, { lines: SAID, checkpoint: { turn: 1, state: SAID } }), 2],
  ['an ending', step(1, 1, { lines: SAID, status: { to: 'completed', ending: SAID } }), 2],
  ['an admission', admit(1, { spec: SAID }), 1],
  ['a hand-over, with the row and the checkpoint of who takes over', handOver, 4],
])('No secret gets to the store in %s', (_name, op, times) => {
  const text = JSON.stringify(stored(op));
  expect(text).not.toContain(SECRET);
  expect(text.split(REDACTED)).toHaveLength(times + 1);
});

test('A hand-over without a secret is stored as it is', () => {
  const plain: ContinueOp = { type: 'continue', end: step(1, 1), successor: { ...row, spec: '{}' } };
  expect(stored(plain)).toEqual([plain]);
});
