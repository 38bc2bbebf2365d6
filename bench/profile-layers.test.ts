import { expect, test } from 'vitest';
import { shortOf, spentIn, sumBy, type Profile } from './profile-layers.ts';

const ROOT = new URL('..', import.meta.url).href;
const INSTALLED = `${ROOT}node_modules`;
const BUILT = `${ROOT}dist`;
const frame = (functionName: string, url: string): Profile['nodes'][number]['callFrame'] => {
  return { functionName, url, lineNumber: 0, columnNumber: 0 };
};

/** A thread that takes a step: it moves its machine, encodes an event and posts it, and something collects garbage. */
const PROFILE: Profile = {
  nodes: [
    { id: 1, callFrame: frame('(root)', ''), children: [2, 7, 8, 9] },
    { id: 2, callFrame: frame('step', `${BUILT}/src/thread/steps/step-end.js`), children: [3, 4, 6] },
    { id: 3, callFrame: frame('update', `${INSTALLED}/xstate/dist/raise.cjs.js`) },
    { id: 4, callFrame: frame('encodeEvent', `${BUILT}/src/core/events.js`), children: [5] },
    { id: 5, callFrame: frame('stringify', '') },
    { id: 6, callFrame: frame('toString', '') },
    { id: 7, callFrame: frame('(idle)', '') },
    { id: 8, callFrame: frame('(garbage collector)', '') },
    { id: 9, callFrame: frame('loadModule', 'node:internal/modules/esm/loader') },
  ],
  samples: [2, 3, 4, 5, 6, 7, 8, 9, 5],
  timeDeltas: [1_000, 2_000, 3_000, 4_000, 5_000, 60_000, 7_000, 8_000, 6_000],
};

test('time counts for the layer of its file, or of the nearest caller that has one', () => {
  expect(Object.fromEntries(sumBy(spentIn(PROFILE), ({ layer }) => layer))).toEqual({
    machine: 2,
    store: 13,
    'thread, the rest': 6,
    'garbage collection': 7,
    'none of them': 8,
  });
});

test('what takes most comes first', () => {
  expect(sumBy(spentIn(PROFILE), ({ name }) => name)[0]).toEqual(['stringify', 10]);
});

test.each([
  [`${BUILT}/src/core/events.js`, 'src/core/events.js'],
  [`${BUILT}/src/host/workers/reports.js`, 'src/host/workers/reports.js'],
  [`${ROOT}bench/read-back.ts`, 'bench/read-back.ts'],
  ['../src/host/supervisor.js', 'src/host/supervisor.js'],
  [`${INSTALLED}/xstate/dist/raise.cjs.js`, 'xstate/dist/raise.cjs.js'],
  [`${INSTALLED}/skein/dist/src/core/events.js`, 'src/core/events.js'],
  ['node:fs', 'node:fs'],
])('%s is known as %s', (url, short) => {
  expect(shortOf(url)).toBe(short);
});
