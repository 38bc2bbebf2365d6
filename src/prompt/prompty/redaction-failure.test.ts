import { expect, test } from 'vitest';
import { createPrompty } from '../../prompty.ts';
import { agentOf } from './fixtures/agent.ts';

test('A text in which secrets could not be looked for is told to no tracer, and disturbs nothing', () => {
  const told: unknown[] = [];
  const prompty = createPrompty({ onTracerProblem: (problem) => told.push(problem) });
  // More than the stack of a regular expression takes.
  const key = `sk-ant-${'A'.repeat(33_554_432)}`;
  prompty.renderers.register('long', { render: () => key, renderAsync: async () => key });
  prompty.tracers.register('one', {
    startSpan: () => ({ end: (given) => told.push(given), error: (given) => told.push(given) }),
  });
  expect(prompty.render(agentOf('', [], 'long')) === key).toBe(true);
  expect(told).toEqual([{ 'prompty.result': '[redacted] (secrets could not be looked for in it)' }]);
});
