import { expect, test } from 'vitest';
import { curveThrough } from './curve.ts';

test.each([
  [[], ''],
  [[[0, 0]], ''],
  [
    [
      [0, 0],
      [10, 20],
    ],
    'M0.0 0.0L10.0 20.0',
  ],
  [
    [
      [0, 0],
      [10, 0],
      [10, 20],
    ],
    'M0.0 0.0Q10.0 0.0 10.0 10.0L10.0 20.0',
  ],
])('A line through %j is %j', (points, path) => {
  expect(curveThrough(points.map(([x = 0, y = 0]) => ({ x, y })))).toBe(path);
});
