import { expect, test } from 'vitest';
import { threadRow } from '../fixtures/thread-row.ts';
import { treeMove, type PressedKey } from './tree-keys.ts';
import type { TreeLine } from './tree-rows.ts';

const line = (id: string, depth: number): TreeLine => ({ kind: 'thread', id, depth, position: 1, size: 1 });
const lines = [line('a', 1), line('b', 2), line('c', 2), line('d', 1)];
const focus = {
  lines,
  page: 3,
  threads: new Map([
    ['a', threadRow('a', { children: 2 })],
    ['c', threadRow('c', { children: 1 })],
  ]),
  expanded: new Set(['a']),
  filter: [],
};

const pressed = (key: string): PressedKey => ({ key, ctrlKey: false, metaKey: false, altKey: false });

test.each([
  ['ArrowDown', 0, { type: 'go', to: 1 }],
  ['ArrowDown', 3, { type: 'go', to: 3 }],
  ['ArrowUp', 0, { type: 'go', to: 0 }],
  ['PageDown', 0, { type: 'go', to: 3 }],
  ['PageUp', 3, { type: 'go', to: 0 }],
  ['End', 0, { type: 'go', to: 3 }],
  ['Home', 3, { type: 'go', to: 0 }],
  ['ArrowRight', 0, { type: 'go', to: 1 }],
  ['ArrowRight', 1, undefined],
  ['ArrowRight', 2, { type: 'open', id: 'c' }],
  ['ArrowLeft', 0, { type: 'close', id: 'a' }],
  ['ArrowLeft', 2, { type: 'go', to: 0 }],
  ['ArrowLeft', 3, undefined],
  ['Enter', 2, { type: 'show', id: 'c' }],
  ['x', 0, undefined],
])('%s on line %i is %j', (key, at, move) => {
  expect(treeMove(pressed(key), { ...focus, at })).toEqual(move);
});

test.each(['ctrlKey', 'metaKey', 'altKey'])('A key with %s is the browser’s', (modifier) => {
  for (const key of ['ArrowLeft', 'ArrowUp', 'Home']) {
    expect(treeMove({ ...pressed(key), [modifier]: true }, { ...focus, at: 2 })).toBeUndefined();
  }
});

test('Nothing opens in the list of a filter', () => {
  expect(treeMove(pressed('ArrowRight'), { ...focus, filter: ['error'], at: 2 })).toBeUndefined();
});

test('Keys in an empty tree lead nowhere', () => {
  expect(treeMove(pressed('ArrowDown'), { ...focus, lines: [], at: 0 })).toEqual({ type: 'go', to: 0 });
  expect(treeMove(pressed('Enter'), { ...focus, lines: [], at: 0 })).toBeUndefined();
});
