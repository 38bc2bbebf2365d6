import { expect, test } from 'vitest';
import { admit, scratchStore } from '../../../test/conformance/store-fixture.ts';
import { raisedThread } from '../../../test/fixtures/raised.ts';
import { readSpec } from './window-spec.ts';

test('limits are those that a thread was resumed with, also before its next checkpoint', () => {
  using project = scratchStore();
  project.store.commit(raisedThread());
  expect(readSpec(project.reader, 1)).toEqual({
    inputs: { path: 'a.md' },
    limits: {
      turns: 50,
      tokens: 300_000,
      spend: 1,
      spawns: 10,
      depth: 10,
      duration_seconds: 600,
      spend_currency: 'USD',
    },
  });
});

test('of a thread whose limits are damaged the rest is seen', () => {
  using project = scratchStore();
  project.store.commit([admit(1, { spec: JSON.stringify({ inputs: { path: 'a.md' }, limits: {} }) })]);
  expect(readSpec(project.reader, 1)).toEqual({ inputs: { path: 'a.md' }, limits: undefined });
});

test('a thread whose spec is damaged is seen without it', () => {
  using project = scratchStore();
  project.store.commit([admit(1, { spec: '{"inputs":{"path' })]);
  expect(readSpec(project.reader, 1)).toEqual({ inputs: {}, limits: undefined });
});
