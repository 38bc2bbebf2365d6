import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { assemblePrompty } from './create-prompty.ts';
import { ValueError } from './engine/value-error.ts';
import { agentOf } from './fixtures/agent.ts';

const SECRET = 'in-the-flower-pot';

test.each([
  ['what came of it', '{{ q }}', SECRET, { 'prompty.result': expect.stringMatching(/^\[redacted\] /) }],
  ['how it failed', '{{', 'template_syntax', { message: expect.stringMatching(/^\[redacted\] /) }],
])('A text in which secrets could not be looked for is told to no tracer: %s', (_, template, outcome, after) => {
  const told: unknown[] = [];
  const prompty = assemblePrompty({
    randomBytes,
    redactor: {
      text: (text) => {
        throw new SyntaxError(`Invalid regular expression: /${text}|${SECRET}/: too large`);
      },
    },
    onTracerProblem: (problem) => told.push(problem),
  });
  prompty.tracers.register('one', {
    startSpan(name, before) {
      told.push(name, before);
      return { end: (given) => told.push(given), error: (given) => told.push(given) };
    },
  });
  expect(textOrCode(() => prompty.render(agentOf(template), { q: SECRET }))).toBe(outcome);
  expect(told).toMatchObject(['render', {}, after]);
  expect(JSON.stringify(told)).not.toContain('flower-pot');
});

function textOrCode(work: () => string): string {
  try {
    return work();
  } catch (error) {
    if (error instanceof ValueError) return error.code;
    throw error;
  }
}
