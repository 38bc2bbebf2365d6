import { expect, test } from 'vitest';
import { SkeinError } from '../index.ts';
import { readInspect } from './inspect-options.ts';

test.each([
  [{}, undefined],
  [{ inspect: 'here' }, { stately: false }],
  [{ inspect: 'stately' }, { stately: true }],
  [
    { inspect: 'here', 'inspect-directive': ['a', 'b*'] },
    { stately: false, directives: ['a', 'b*'] },
  ],
  [
    { inspect: 'stately', 'inspect-sample': '0.1' },
    { stately: true, sample: 0.1, sampleOf: 'children' },
  ],
  [
    { inspect: 'here', 'inspect-sample': '1' },
    { stately: false, sample: 1, sampleOf: 'children' },
  ],
])('%j is read as %j', (given, expected) => {
  expect(readInspect(given)).toEqual(expected);
});

test.each<[Parameters<typeof readInspect>[0], string]>([
  [{ 'inspect-directive': ['a'] }, '--inspect-directive and --inspect-sample go with --inspect'],
  [{ 'inspect-sample': '1' }, '--inspect-directive and --inspect-sample go with --inspect'],
  [{ inspect: 'yes' }, '--inspect is "yes"; --inspect or --inspect=stately is expected'],
  [{ inspect: '' }, '--inspect is ""; --inspect or --inspect=stately is expected'],
  ...['0', '1.01', '-1', '', ' ', 'half', '1e-1', '0x1', '1.1.1', '.'].map(
    (share): [Parameters<typeof readInspect>[0], string] => [
      { inspect: 'here', 'inspect-sample': share },
      `--inspect-sample is ${JSON.stringify(share)}; a number above 0 and up to 1 is expected`,
    ],
  ),
])('%j is refused', (given, message) => {
  expect(() => readInspect(given)).toThrow(new SkeinError('invalid_argument', message));
});
