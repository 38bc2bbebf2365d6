import { expect, test } from 'vitest';
import { outputIssues, refuseStandard } from './input-issues.ts';

const issue = (message: string, ...path: PropertyKey[]) => ({ message, path });

test.each([
  ['without a path', [issue('is empty')], 'is empty'],
  [
    'below a list',
    [issue('is too old', 'years', 3), issue('is too new', 'last')],
    'years.3 is too old; last is too new',
  ],
  [
    'more than eight',
    Array.from({ length: 11 }, (_, at) => issue('no', at)),
    '0 no; 1 no; 2 no; 3 no; 4 no; 5 no; 6 no; 7 no; and 3 more',
  ],
])('what a schema says of outputs, %s', (_name, issues, text) => {
  expect(outputIssues(issues)).toBe(text);
});

test('an issue that lists what a schema takes is not cut', () => {
  const names = Array.from({ length: 60 }, (_, at) => `"name-number-${at}"`).join('|');
  expect(outputIssues([issue(names)])).toBe(names);
});

test('an issue that repeats what was sent is cut, its path as well', () => {
  const long = issue('x'.repeat(5_000_000), 'k'.repeat(5_000_000));
  expect(outputIssues([long])).toBe(`${'k'.repeat(200)}… ${'x'.repeat(2_000)}…`);
  const refused = refuseStandard([long]);
  expect(JSON.stringify(refused).length).toBeLessThan(6_000);
});
