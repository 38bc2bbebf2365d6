import { expect, test } from 'vitest';
import { threadCpuUs } from '../../bench/thread-cpu.ts';
import { exactJson } from './exact-json.ts';

const BIG = '1795800000123456789';

test.each([
  [BIG, BIG],
  [` -${BIG}`, `-${BIG}`],
  [`[1,${BIG}]`, [1, BIG]],
  [`{"id":${BIG},"n": 1e999}`, { id: BIG, n: '1e999' }],
  [`{"at":[\n-12.5E+400\n]}`, { at: ['-12.5E+400'] }],
  [`{"id":"${BIG}","n":9007199254740993.0}`, { id: BIG, n: 9_007_199_254_740_992 }],
  ['[1.50, 1e-400]', [1.5, 0]],
  [`{"id":"\\"${BIG}","n":${BIG}}`, { id: `"${BIG}`, n: BIG }],
  ['{', undefined],
])('what %s says', (text, value) => {
  expect(exactJson(text)).toEqual(value);
});

test('a long text of digits costs little more than to parse it', () => {
  const json = JSON.stringify({ data: `${BIG}/`.repeat(200_000) });
  // Of several runs, since the first ones are slow.
  const least = (parse: (text: string) => unknown): number =>
    Math.min(
      ...Array.from({ length: 5 }, () => {
        const started = threadCpuUs();
        parse(json);
        return threadCpuUs() - started;
      }),
    );
  expect(least(exactJson)).toBeLessThan(6 * least(JSON.parse) + 10_000);
});
