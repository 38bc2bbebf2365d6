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

describe('What a program whose output is its result has printed', () => {
  const found = "a.ts(3,1): error TS2304: Cannot find name 'foo'.\nFound 1 error.\n";

  test.each<[string, ProcessEnd, string]>([
    ['failed', exited(found, { exitCode: 2 }), `ended with exit code 2. It last printed:\n${found.trim()}`],
    [
      'failed and said why',
      exited(found, { exitCode: 2, printed: 'npm error\n' }),
      `ended with exit code 2. It last printed:\n${found}npm error`,
    ],
    ['failed with no word', exited('', { exitCode: 2 }), 'ended with exit code 2'],
    [
      'took too long',
      { kind: 'timed_out', result: found, printed: '' },
      `did not finish within 5 s and was ended. It last printed:\n${found.trim()}`,
    ],
  ])('is shown where it %s', (_, end, message) => {
    expect(processOutcome(ITEM, { ...ORDER, timeoutMs: 5_000 }, end)).toMatchObject({
      failure: { message: `tool test/tool ${message}` },
    });
  });

  test('is shown in part where it is much, and so are its errors', () => {
    const end = exited('a'.repeat(5_000), { exitCode: 1, printed: 'b'.repeat(5_000) });
    expect(processOutcome(ITEM, ORDER, end)).toMatchObject({
      failure: { detail: { printed: `${'a'.repeat(1_000)}\n${'b'.repeat(1_000)}`.slice(-2_000) } },
    });
  });
});

test('Half a result is not shown of a function that took too long, and what it printed is', () => {
  const end = { kind: 'timed_out', result: '{"ok":tr', printed: 'working\n' } as const;
  expect(processOutcome(ITEM, { ...ORDER, resultOn: 'channel', timeoutMs: 5_000 }, end)).toMatchObject({
    failure: { message: 'tool test/tool did not finish within 5 s and was ended. It last printed:\nworking' },
  });
});

test('Of what a tool has printed before it failed the end is shown, in whole characters', () => {
  const outcome = processOutcome(ITEM, ORDER, exited('', { exitCode: 1, printed: `${'😀'.repeat(1_500)}.` }));
  expect(outcome).toMatchObject({ failure: { detail: { printed: `\ufffd${'😀'.repeat(999)}.` } } });
});
