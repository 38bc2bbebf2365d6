import { expect, test } from 'vitest';
import { sharePart, type SharedPart } from './shared-part.ts';

function part(key: unknown, before?: SharedPart<string>): SharedPart<string> {
  return sharePart(before, key, () => ({ value: `made of ${JSON.stringify(key)}`, close: () => closed.push(key) }));
}
const closed: unknown[] = [];

test('A part is shared while its key is the same, and closed when the last version lets go of it', () => {
  const first = part({ a: 1 });
  const second = part({ a: 1 }, first);
  const third = part({ a: 2 }, second);
  expect([second === first, third === second, third.value]).toEqual([true, false, 'made of {"a":2}']);
  first.letGo();
  expect(closed).toEqual([]);
  second.letGo();
  expect(closed).toEqual([{ a: 1 }]);
});
