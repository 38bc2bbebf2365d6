import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCallSlots, type SlotPlace } from './call-slots.ts';

test('lets in at most so many, in order, whatever comes and goes', () => {
  const moves = fc.array(fc.oneof(fc.constant('take' as const), fc.nat(20)), { maxLength: 60 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), moves, (max, moves) => {
      const slots = createCallSlots(max);
      const entered: number[] = [];
      const places: SlotPlace[] = [];
      const left = new Set<number>();
      for (const move of moves) {
        if (move === 'take') {
          const number = places.length;
          places.push(slots.take(() => entered.push(number)));
        } else if (places[move]) {
          places[move].leave();
          left.add(move);
        }
        const inside = entered.filter((number) => !left.has(number)).length;
        const waiting = places.filter((_, number) => !left.has(number) && !entered.includes(number)).length;
        expect(inside).toBe(Math.min(max, inside + waiting));
        expect(entered).toEqual(entered.toSorted((one, other) => one - other));
      }
    }),
  );
});

test('frees one place when the same one leaves twice', () => {
  const slots = createCallSlots(1);
  const entered: string[] = [];
  const first = slots.take(() => entered.push('first'));
  slots.take(() => entered.push('second'));
  first.leave();
  first.leave();
  slots.take(() => entered.push('third'));
  expect(entered).toEqual(['first', 'second']);
});
