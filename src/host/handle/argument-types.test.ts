import { describe, expect, test } from 'vitest';
import { checkChoice, checkFunction, checkMilliseconds, checkText, checkThreadIds } from './argument-types.ts';

describe('An argument', () => {
  test.each([
    ['a text', () => checkText('A name', '')],
    ['no ids', () => checkThreadIds('waitAll', [])],
    ['ids of whatever form', () => checkThreadIds('waitAll', ['', 'thread-1', '\uD800'])],
    ['no time', () => checkMilliseconds('graceMs', undefined)],
    ['no time at all', () => checkMilliseconds('graceMs', 0)],
    ['forever', () => checkMilliseconds('graceMs', Infinity)],
    ['over', () => checkMilliseconds('graceMs', -1)],
    ['a choice', () => checkChoice('failFast', false)],
    ['a choice left out', () => checkChoice('failFast', undefined)],
    ['a function', () => checkFunction('A hook', Math.abs)],
  ])('that is %s is taken', (_, check) => {
    expect(check).not.toThrow();
  });

  test.each([
    ['A name is a text, not undefined', () => checkText('A name', undefined)],
    ['A name is a text, not 5', () => checkText('A name', 5)],
    ['A name is a text, not null', () => checkText('A name', null)],
    ['A name is a text, not a list', () => checkText('A name', ['x'])],
    ['A name is a text, not an object', () => checkText('A name', new String('x'))],
    ['A name is a text, not a symbol', () => checkText('A name', Symbol('x'))],
    ['What waitAll waits for is a list of thread ids, not a string', () => checkThreadIds('waitAll', 'thread-1')],
    ['What waitAll waits for is a list of thread ids, not null', () => checkThreadIds('waitAll', null)],
    ['What waitAll waits for is a list of thread ids, not an object', () => checkThreadIds('waitAll', new Set(['a']))],
    ['Thread id 1 of waitAll is a text, not an object', () => checkThreadIds('waitAll', ['a', { id: 'a' }])],
    [
      'Thread id 0 of waitAll is a text, not undefined',
      () => checkThreadIds('waitAll', Object.assign([], { length: 1 })),
    ],
    ['timeoutMs is a number of milliseconds, not NaN', () => checkMilliseconds('timeoutMs', Number.NaN)],
    ['timeoutMs is a number of milliseconds, not a string', () => checkMilliseconds('timeoutMs', '100')],
    ['timeoutMs is a number of milliseconds, not a bigint', () => checkMilliseconds('timeoutMs', 1n)],
    ['failFast is true or false, not 1', () => checkChoice('failFast', 1)],
    ['failFast is true or false, not null', () => checkChoice('failFast', null)],
    ['A hook is a function, not a string', () => checkFunction('A hook', 'say')],
  ])('is refused with words: %s', (message, check) => {
    expect(check).toThrow(expect.objectContaining({ code: 'invalid_argument', message }));
  });
});
