import { describe, expect, test } from 'vitest';
import { wholeSpecWith } from '../../../test/fixtures/host-bench.ts';
import { specJson, unpackSpec } from '../../core/packed-spec.ts';
import type { ThreadSpec } from '../../core/protocol.ts';
import { createSpecTexts } from './spec-texts.ts';

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

describe('A spec as text', () => {
  test.each([
    ['with all there can be in it', RARE],
    ['with nothing that may be left out', wholeSpecWith(1)],
  ])('%s is read as it was, here, elsewhere and as it is stored', (_, spec) => {
    const specs = createSpecTexts();
    const packed = specs.pack(spec);
    const read = [specs.read(packed), createSpecTexts().read(packed), unpackSpec(packed), JSON.parse(specJson(packed))];
    for (const one of read) expect(one).toEqual(spec);
  });

  test('has beside it what the host has to know', () => {
    const { directive, model, limits } = SPEC;
    expect(createSpecTexts().pack(SPEC)).toMatchObject({ directive, model, spend: limits.spend, spawns: 3 });
  });

  test('that is read shares with others what is the same, and nothing that is its own', () => {
    const specs = createSpecTexts();
    const [one, other] = [SPEC, { ...SPEC, inputs: { topic: 'fish' } }].map((spec) => specs.read(specs.pack(spec)));
    expect(other?.capabilities).toBe(one?.capabilities);
    expect(other?.inputs).toEqual({ topic: 'fish' });
    expect(Object.isFrozen(one?.capabilities[0])).toBe(true);
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
    const specs = createSpecTexts();
    specs.read(specs.pack(SPEC));
    const changed = { ...SPEC, ...change };
    expect(specs.read(specs.pack(changed))).toEqual(changed);
    expect(specs.shared(changed)).not.toBe(specs.shared(SPEC));
  });

  test('of more kinds than are kept is read all the same', () => {
    const specs = createSpecTexts(2);
    const kinds = ['a', 'b', 'c', 'a'].map((directive) => ({ ...SPEC, directive }));
    expect(kinds.map((spec) => specs.read(specs.pack(spec)))).toEqual(kinds);
  });
});
