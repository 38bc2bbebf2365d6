import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StepOp, StoreOp } from './store.ts';
import { packOp, unpackOp } from './store-wire.ts';

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

const travel = (op: StoreOp): StoreOp => unpackOp(structuredClone(packOp(op)));

describe('A packed operation', () => {
  test('comes out as it went in, whatever a step carries', () => {
    fc.assert(
      fc.property(step, (op: StepOp) => {
        expect(travel(op)).toEqual(op);
      }),
    );
  });

  test.each<StoreOp>([
    { type: 'load', thread: 7 },
    { type: 'remaining', thread: 7 },
  ])('is itself if it is no step: %j', (op) => {
    expect(travel(op)).toEqual(op);
  });
});
