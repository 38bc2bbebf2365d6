import { describe, expect, test } from 'vitest';
import { executorOf, PLAIN } from './fixtures/tool-bench.ts';
import { processOutcome } from './process-outcome.ts';
import type { ProcessEnd, ProcessOrder } from './tool-process.ts';

const ITEM = { ...PLAIN, executorId: executorOf('.sh'), id: 'test/tool', file: '/tools/tool.sh' };
// Nothing else of the order is looked at.
const ORDER = { resultOn: 'stdout' } as ProcessOrder;

function exited(result: string, more: Partial<Extract<ProcessEnd, { kind: 'exited' }>> = {}): ProcessEnd {
  return { kind: 'exited', exitCode: 0, signal: null, result, printed: '', wasSignalled: false, ...more };
}

describe('What a script has printed', () => {
  test.each([
    ['56\n', 56],
    ['-1.5\n', -1.5],
    ['0', 0],
    [' 7 \n', 7],
    ['7\r\n', 7],
    ['85.15\n', 85.15],
    ['85.10\n', 85.1],
    ['100.00\n', 100],
    ['3.10', 3.1],
    ['1e5', 100_000],
    ['9007199254740991', 9_007_199_254_740_991],
    ['1e+21\n', 1e21],
    ['-9007199254740992', -9_007_199_254_740_992],
    [JSON.stringify([2 ** 60, 1e18]), [2 ** 60, 1e18]],
    ['true\n', true],
    ['null\n', null],
    ['"3.10"\n', '3.10'],
    ['{"version":3.10}\n', { version: 3.1 }],
    ['[1e2, 9007199254740993]', [100, '9007199254740993']],
    [
      '{"id":12345678901234567890,"n":1e999,"x":0.1234567890123456789}',
      { id: '12345678901234567890', n: '1e999', x: 0.12345678901234568 },
    ],
    // It is read as it is, and would be written as 1152921504606847000.
    ['[1152921504606846976]', ['1152921504606846976']],
    ['"12345678901234567890"', '12345678901234567890'],
    [
      String.raw`["12345678901234567890","\\","\"",{"-12345678901234567890":-12345678901234567890}]`,
      ['12345678901234567890', '\\', '"', { '-12345678901234567890': '-12345678901234567890' }],
    ],
    [`${'['.repeat(20_000)}${']'.repeat(20_000)}\n`, `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
    ['text\n', 'text'],
    ['', ''],
  ])('is its result as JSON, or as text: %j is %j', (printed, value) => {
    expect(processOutcome(ITEM, ORDER, exited(printed))).toEqual({ ok: true, value });
  });

  test.each(['1795800000123456789', '-9007199254740993', '12e4567', '-1e999', '007', '3.10.1'])(
    'stays what it is if no number can hold it: %s',
    (printed) => {
      expect(processOutcome(ITEM, ORDER, exited(`${printed}\n`))).toEqual({ ok: true, value: printed });
    },
  );
});

test('The value of a function keeps the digits of its numbers', () => {
  const reply = '{"ok":true,"value":[12345678901234567890,{"id":1765432109876543211},9007199254740991]}';
  expect(processOutcome(ITEM, { ...ORDER, resultOn: 'channel' }, exited(reply))).toEqual({
    ok: true,
    value: ['12345678901234567890', { id: '1765432109876543211' }, 9_007_199_254_740_991],
  });
});

test('Of what a tool has printed before it failed the end is shown, in whole characters', () => {
  const outcome = processOutcome(ITEM, ORDER, exited('', { exitCode: 1, printed: `${'😀'.repeat(1_500)}.` }));
  expect(outcome).toMatchObject({ failure: { detail: { printed: `\ufffd${'😀'.repeat(999)}.` } } });
});
