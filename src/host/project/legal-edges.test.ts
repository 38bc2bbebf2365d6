import { expect, test } from 'vitest';
import { legalEdges } from './legal-edges.ts';

test('The edges between states are those of the chart and those of threads in no worker', () => {
  expect([...legalEdges()].toSorted()).toEqual([
    'created>cancelled',
    'created>error',
    'created>running',
    'created>suspended',
    'running>cancelled',
    'running>completed',
    'running>continued',
    'running>error',
    'running>suspended',
    'suspended>cancelled',
    'suspended>error',
    'suspended>running',
    'suspended>suspended',
  ]);
});
