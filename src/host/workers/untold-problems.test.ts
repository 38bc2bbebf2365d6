import { expect, test } from 'vitest';
import type { Failure } from '../../core/errors.ts';
import { createUntoldProblems } from './untold-problems.ts';

const unsigned = (space: string, count: number): Failure => ({
  code: 'item_unsigned',
  message: `${count} tools`,
  where: { path: `trust.${space}` },
});
const broken: Failure = { code: 'invalid_item', message: 'broken', where: { file: 'a.md' } };

test('that tools of a space are not signed is new once, everything else each time', () => {
  const isUntold = createUntoldProblems();
  const reports = [unsigned('project', 3), unsigned('project', 4), unsigned('user', 1), broken, broken];
  expect(reports.map(isUntold)).toEqual([true, false, true, true, true]);
});
