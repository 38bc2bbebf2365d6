import { describe, expect, test } from 'vitest';
import { describeFailure, fromFailure, SkeinError, toFailure, type Failure } from './errors.ts';

describe('describeFailure', () => {
  test.each<[Omit<Failure, 'code'>, string]>([
    [{ message: 'Nothing is there' }, 'Nothing is there [item_not_found]'],
    [{ message: 'M', where: {} }, 'M [item_not_found]'],
    [{ message: 'M', where: { file: 'a.md' } }, 'M (a.md) [item_not_found]'],
    [{ message: 'M', where: { file: 'a.md', line: 3 } }, 'M (a.md:3) [item_not_found]'],
    [{ message: 'M', where: { file: 'a.md', line: 3, column: 7 } }, 'M (a.md:3:7) [item_not_found]'],
    [{ message: 'M', where: { path: 'limits.turns' } }, 'M (at limits.turns) [item_not_found]'],
    [{ message: 'M', where: { file: 'a', line: 1, path: 'b.c' } }, 'M (a:1, at b.c) [item_not_found]'],
    [{ message: 'M', where: { line: 3 } }, 'M [item_not_found]'],
    [{ message: 'M', detail: { secret: 1 } }, 'M [item_not_found]'],
  ])('writes %j in one line', (failure, line) => {
    expect(describeFailure({ code: 'item_not_found', ...failure })).toBe(line);
  });
});

describe('toFailure', () => {
  test('keeps code, message, place and detail of a SkeinError', () => {
    const error = new SkeinError('invalid_item', 'wrong', {
      where: { file: 'a.md', line: 2 },
      detail: { near: ['b'] },
    });
    expect(toFailure(error, 'tool_failed')).toEqual({
      code: 'invalid_item',
      message: 'wrong',
      where: { file: 'a.md', line: 2 },
      detail: { near: ['b'] },
    });
  });

  test('leaves out place and detail where there are none', () => {
    expect(Object.keys(toFailure(new SkeinError('internal', 'wrong')))).toEqual(['code', 'message']);
  });

  test.each([
    [new TypeError('no'), 'no'],
    ['text', 'text'],
    [42, '42'],
    [undefined, 'undefined'],
    [null, 'null'],
  ])('keeps the message of %o that was thrown by others, under the fallback code', (thrown, message) => {
    expect(toFailure(thrown, 'tool_failed')).toEqual({ code: 'tool_failed', message });
    expect(toFailure(thrown)).toEqual({ code: 'internal', message });
  });

  test('makes plain data that survives a structured clone', () => {
    const failure = toFailure(
      new SkeinError('invalid_item', 'wrong', { where: { line: 1 }, cause: new Error('deep') }),
    );
    expect(structuredClone(failure)).toEqual(failure);
    expect(Object.getPrototypeOf(failure)).toBe(Object.prototype);
  });

  test.each([
    ['an object without prototype', Object.create(null)],
    ['an object whose toString throws', { toString: () => JSON.parse('{') as string }],
    ['an error whose message is no text', Object.assign(new Error('x'), { message: () => 1 })],
    ['a symbol', Symbol('s')],
    ['a proxy that was revoked', revoked()],
  ])('has a message for %s', (_name, thrown: unknown) => {
    expect(typeof toFailure(thrown).message).toBe('string');
  });
});

describe('fromFailure', () => {
  test.each<Failure>([
    { code: 'project_locked', message: 'taken' },
    { code: 'invalid_config', message: 'wrong', where: { file: 'a.yaml', path: 'x.y' }, detail: { n: 1 } },
  ])('makes an error of %j that becomes the same failure again', (failure) => {
    const error = fromFailure(failure);
    expect(error).toBeInstanceOf(SkeinError);
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('SkeinError');
    expect(toFailure(error)).toEqual(failure);
  });
});

describe('A SkeinError', () => {
  test('keeps its cause, and has none if none was given', () => {
    const cause = new Error('deep');
    expect(new SkeinError('internal', 'm', { cause }).cause).toBe(cause);
    expect('cause' in new SkeinError('internal', 'm')).toBe(false);
  });
});

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
