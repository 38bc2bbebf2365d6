import { expect, test } from 'vitest';
import { leavesOf } from './leaves.ts';

test.each([
  ['keys joined by dots', { a: { b: 1 } }, { 'a.b': 1 }],
  ['entries by their id', { list: [{ id: 'x', n: 1 }] }, { 'list[x].id': 'x', 'list[x].n': 1 }],
  [
    'columns by their name',
    { columns: [{ name: 'c', type: 'TEXT' }] },
    { 'columns[c].name': 'c', 'columns[c].type': 'TEXT' },
  ],
  ['other entries by their place', { list: ['x', { y: 1 }] }, { 'list[0]': 'x', 'list[1].y': 1 }],
  [
    'entries with the same name by their place',
    { list: [{ name: 'c' }, { name: 'c' }] },
    { 'list[0].name': 'c', 'list[1].name': 'c' },
  ],
  ['keys that look like paths in quotes', { 'gpt-5.4': { x: 1 } }, { '["gpt-5.4"].x': 1 }],
  ['what is empty as a value', { map: {}, list: [], nothing: null }, { map: {}, list: [], nothing: null }],
])('Leaves are named by %s', (_what, document, leaves) => {
  expect(Object.fromEntries(leavesOf(document))).toEqual(leaves);
});
