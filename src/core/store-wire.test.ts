import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unpackOps } from '../../test/fixtures/unpack-ops.ts';
import type { StoreOp } from './store.ts';
import { packOp, type WireOps } from './store-wire.ts';

const amount = fc.nat();
const cost = fc.record({ turns: amount, inputTokens: amount, outputTokens: amount, spend: amount });
const status = fc.oneof(
  fc.constant({ to: 'running' } as const),
  fc.record({ to: fc.constant('suspended' as const), reason: fc.constantFrom('limit' as const, 'user' as const) }),
  fc.record({ to: fc.constantFrom('completed' as const, 'error' as const), ending: fc.string() }),
);
const step = fc.record(
  {
    type: fc.constant('step' as const),
    thread: amount,
    at: amount,
    lines: fc.string(),
    firstSequence: amount,
    lastSequence: amount,
    settle: fc.record({ reserved: amount, actual: amount }),
    reserve: amount,
    ceiling: amount,
    checkpoint: fc.record({ turn: amount, state: fc.string() }),
    cost,
    status,
  },
  { requiredKeys: ['type', 'thread', 'at', 'lines', 'firstSequence', 'lastSequence'] },
);

const plain = fc.oneof(
  fc.record({ type: fc.constant('load' as const), thread: amount }),
  fc.record({ type: fc.constant('remaining' as const), thread: amount }),
);

describe('Packed operations', () => {
  test('come out as they went in, in their order, whatever each step carries', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof<fc.Arbitrary<StoreOp>[]>(step, plain), { maxLength: 8 }), (ops) => {
        const wire: WireOps = [];
        for (const op of ops) packOp(wire, op);
        expect(unpackOps(structuredClone(wire))).toEqual(ops);
      }),
    );
  });
});
