import { expect, test } from 'vitest';
import { untilLeft } from './until-left.ts';

/** Somebody who sends signals (`^`) and presses keys, and what the process was told to end with. */
function person({ keys = true }: { readonly keys?: boolean } = {}) {
  const exits: number[] = [];
  let interrupt = (): void => undefined;
  let press: ((key: string) => void) | undefined;
  const io = {
    onInterrupt(listener: () => void) {
      interrupt = listener;
      return () => (interrupt = () => undefined);
    },
    onKey(listener: (key: string) => void) {
      press = listener;
      return () => (press = undefined);
    },
    exit: (code: number) => void exits.push(code),
  };
  const leaving = untilLeft(io, { keys });
  const does = (acts: string): void => {
    for (const act of acts) {
      if (act === '^') interrupt();
      else press?.(act);
    }
  };
  return { leaving, does, exits, listens: () => press !== undefined };
}

test.each([
  ['', false, []],
  ['x', false, []],
  ['q', true, []],
  ['Q', true, []],
  ['^', true, []],
  ['\u0003', true, []],
  ['qq', true, []],
  ['^q', true, []],
  ['^^', true, [130]],
  ['q^', true, [130]],
  ['\u0003\u0003', true, [130]],
  ['^\u0003', true, [130]],
])('%j leaves: %j, and ends the process with %j', (acts, hasLeft, codes) => {
  const { leaving, does, exits } = person();
  does(acts);
  expect([leaving.hasLeft(), exits]).toEqual([hasLeft, codes]);
});

test('Nobody waits for work that somebody has left', async () => {
  const { leaving, does } = person();
  expect(await leaving.unlessLeft(async () => 'done')).toBe('done');
  await expect(leaving.unlessLeft(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  const work = Promise.withResolvers<string>();
  const [left, late] = [leaving.unlessLeft(() => work.promise), new Error('nobody hears of it')];
  does('q');
  expect(await left).toBeUndefined();
  work.reject(late);
  await leaving.wait(600_000);
  const begun = await leaving.unlessLeft(() => Promise.reject(late));
  expect(begun).toBeUndefined();
});

test.each([true, false])('Keys are listened to only where they are wanted (%j), and not afterwards', (keys) => {
  const { leaving, listens } = person({ keys });
  expect(listens()).toBe(keys);
  leaving[Symbol.dispose]();
  expect(listens()).toBe(false);
});
