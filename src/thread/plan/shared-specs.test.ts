import { describe, expect, test } from 'vitest';
import { wholeSpecWith } from '../../../test/fixtures/host-bench.ts';
import { ownPart, packSpec, specJson, splitSpec, unpackSpec } from '../../core/packed-spec.ts';
import type { ThreadSpec } from '../../core/protocol.ts';
import { createSharedSpecs, type SharedSpecs } from './shared-specs.ts';

const SPEC: ThreadSpec = {
  ...wholeSpecWith(3),
  inputs: { topic: 'birds', list: [1, { deep: null }] },
  extends: ['base'],
  fallbacks: ['scripted:other'],
  warnings: ['an old spelling'],
  capabilities: [['rye.execute.tool.*'], ['rye.load.*']],
  outputSchema: { type: 'object' },
};
const RARE: ThreadSpec = {
  ...SPEC,
  forkedFrom: { thread: 1, threadId: 'thread-1', sequence: 4 },
  message: 'go on',
  hookDepth: 2,
  callId: 'call-1',
  traceparent: '00-1-2-01',
};

/** What a worker makes of a spec that another one has packed. */
function readAgain(spec: ThreadSpec, specs: SharedSpecs): ThreadSpec {
  const packed = packSpec(splitSpec(spec));
  const { text: _, ...fields } = specs.read(packed.shared);
  return { ...fields, ...ownPart(packed) };
}

describe('A spec in two parts', () => {
  test.each([
    ['with all there can be in it', RARE],
    ['with nothing that may be left out', wholeSpecWith(1)],
  ])('%s is read as it was, on its way and from its row', (_, spec) => {
    const packed = packSpec(splitSpec(spec));
    expect(unpackSpec(packed)).toEqual(spec);
    expect(JSON.parse(specJson(packed))).toEqual(spec);
    expect(readAgain(spec, createSharedSpecs())).toEqual(spec);
  });

  test('has beside it what the host has to know', () => {
    const { directive, model, limits } = SPEC;
    expect(packSpec(splitSpec(SPEC))).toMatchObject({ directive, model, spend: limits.spend, spawns: 3 });
  });

  test('shares with others what is the same, and nothing that is its own', () => {
    const specs = createSharedSpecs();
    const [one, other] = [SPEC, { ...SPEC, inputs: { topic: 'fish' } }].map((spec) => specs.split(spec));
    expect(other?.shared).toBe(one?.shared);
    expect(specs.read(one?.shared.text ?? '')).toBe(one?.shared);
    expect(other?.own.inputs).toEqual({ topic: 'fish' });
    expect(Object.isFrozen(one?.shared.capabilities[0])).toBe(true);
  });

  test.each<Partial<ThreadSpec>>([
    { directive: 'other' },
    { extends: [] },
    { model: 'scripted:third' },
    { fallbacks: [] },
    { warnings: [] },
    { capabilities: [['rye.load.*']] },
    { outputSchema: undefined },
  ])('with another %j is not taken for the one before', (change) => {
    const specs = createSharedSpecs();
    const changed = { ...SPEC, ...change };
    expect(specs.split(changed).shared).not.toBe(specs.split(SPEC).shared);
    expect(readAgain(changed, specs)).toEqual(changed);
  });

  test('is found again from a row with its fields in another order', () => {
    const specs = createSharedSpecs();
    const turned = Object.fromEntries(Object.entries(SPEC).toReversed()) as ThreadSpec;
    expect(specs.split(turned).shared).toBe(specs.split(SPEC).shared);
  });

  test('of more kinds than are kept is read all the same', () => {
    const specs = createSharedSpecs(2);
    const kinds = ['a', 'b', 'c', 'a'].map((directive) => ({ ...SPEC, directive }));
    expect(kinds.map((spec) => readAgain(spec, specs))).toEqual(kinds);
  });
});
