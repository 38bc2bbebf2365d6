import { describe, expect, test } from 'vitest';
import { inTurn } from './in-turn.ts';

describe('Doing things in turn', () => {
  test('does them in order, and says when the last one is done', () => {
    const said: string[] = [];
    inTurn(
      [{ name: 'a' }, { name: 'b' }],
      ({ name }, next) => {
        said.push(name);
        next();
      },
      () => said.push('done'),
    );
    expect(said).toEqual(['a', 'b', 'done']);
  });

  test('is done at once with nothing to do', () => {
    const said: string[] = [];
    inTurn(
      [],
      () => said.push('never'),
      () => said.push('done'),
    );
    expect(said).toEqual(['done']);
  });

  test('waits for one that takes its time', () => {
    const said: string[] = [];
    const waiting: (() => void)[] = [];
    inTurn(
      [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
      ({ name }, next) => {
        said.push(name);
        if (name === 'b') waiting.push(next);
        else next();
      },
      () => said.push('done'),
    );
    expect(said).toEqual(['a', 'b']);
    waiting[0]?.();
    expect(said).toEqual(['a', 'b', 'c', 'done']);
  });

  test('takes no stack, however many are done at once', () => {
    let count = 0;
    inTurn(
      Array.from({ length: 100_000 }, () => ({})),
      (_entry, next) => next(),
      () => count++,
    );
    expect(count).toBe(1);
  });
});
