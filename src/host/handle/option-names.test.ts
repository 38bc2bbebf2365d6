import { describe, expect, test } from 'vitest';
import { checkOptionNames } from './option-names.ts';

type Options = { readonly timeoutMs?: number; readonly failFast?: boolean };

describe('The names of options', () => {
  test.each([{}, { timeoutMs: 1 }, { timeoutMs: 1, failFast: true }])('%j are taken', (options) => {
    expect(() => check(options)).not.toThrow();
  });

  test.each(['timeout', 'timeoutMS', 'toString', 'constructor'])('%s is refused with the names there are', (name) => {
    const message = `waitAll has no option "${name}"; the options are timeoutMs, failFast`;
    expect(() => check({ [name]: 1 })).toThrow(expect.objectContaining({ code: 'invalid_argument', message }));
  });

  test('an own __proto__ is refused as well', () => {
    expect(() => check(JSON.parse('{"__proto__": 1}'))).toThrow('no option "__proto__"');
  });

  test.each([
    [null, 'null'],
    [5, '5'],
    [[], 'a list'],
    ['sk-secret', 'a string'],
  ])('options that are %j are refused, without a text that may be a secret', (options, as) => {
    const message = `The options argument of waitAll is an object, not ${as}`;
    expect(() => check(options)).toThrow(expect.objectContaining({ code: 'invalid_argument', message }));
  });
});

function check(options: unknown): void {
  // What a caller without types may pass.
  checkOptionNames('waitAll', options as Options, { timeoutMs: true, failFast: true });
}
