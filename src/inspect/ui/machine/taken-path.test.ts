import { expect, test } from 'vitest';
import { takenPath, wasTaken } from './taken-path.ts';

const states = ['created', 'running.starting', 'running.calling', 'running.settling', 'running.calling', 'completed'];
const path = takenPath(states.map((state, at) => ({ state, at_ms: at, sequence: at + 1 })));

test('A path counts how often it came to a state', () => {
  expect(path.visits.get('running.calling')).toBe(2);
  expect(path.visits.get('suspended')).toBeUndefined();
});

test.each([
  ['running.calling', 'running.settling', true],
  ['running.settling', 'running.starting', false],
  ['created', 'running', true],
  ['running', 'completed', true],
  ['running.*', 'running.settling', true],
  ['running', 'cancelled', false],
  ['run', 'completed', false],
])('The way from %s to %s was taken: %s', (from, to, taken) => {
  expect(wasTaken(path, [{ from, to }])).toBe(taken);
});
