import { expect, test } from 'vitest';
import { costOf } from '../../../test/fixtures/cost-of.ts';
import { createPrompty } from '../../prompty.ts';
import { agentOf } from './fixtures/agent.ts';
import { recorder } from './fixtures/recorder.ts';

test.each<readonly [string, object]>([
  ['{{ x|upper }}', { x: 'under-the-mat' }],
  ['{{ x|replace("-", "_") }}', { x: 'it is under-the-mat, I think' }],
  ['{% for c in x[0].y %}{{ c }} {% endfor %}', { x: [{ y: 'under-the-mat' }] }],
  ['{% for key in x %}{{ key|upper }}{% endfor %}', { x: { 'under-the-mat': 1 } }],
  ['{{ fallback|upper }}', {}],
  ['{{ x + 1 }}', { x: 12345678 }],
  ['{{ (x ~ "")|replace("1", "_") }}', { x: 12345678n }],
  ['{{ x|upper }}', { x: 'sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAA' }],
])('A tracer is not told what %s makes of an input that has a secret in it', (template, inputs) => {
  const prompty = createPrompty({ secrets: ['under-the-mat', 'below-the-step', '12345678'] });
  const tracer = recorder();
  prompty.tracers.register('one', tracer);
  const declared = [{ name: 'fallback', kind: 'string', required: false, default: 'below-the-step' }] as const;
  const agent = agentOf(template);
  prompty.render('x' in inputs ? agent : { ...agent, inputs: declared }, { ...inputs });
  expect(tracer.spans).toMatchObject([{ after: { 'prompty.result': '[redacted] (an input has a secret)' } }]);
});

test.each(['constructor', 'toString', 'valueOf', '__proto__'])(
  'A default is searched for secrets in an input called %s',
  (name) => {
    const prompty = createPrompty({ secrets: ['below-the-step'] });
    const tracer = recorder();
    prompty.tracers.register('one', tracer);
    prompty.render(agentOf(`{{ ${name}|upper }}`, [{ name, default: 'below-the-step' }]));
    expect(tracer.spans).toMatchObject([{ after: { 'prompty.result': '[redacted] (an input has a secret)' } }]);
  },
);

test('A list of very many elements is not searched, and one of many is at no great cost', () => {
  const prompty = createPrompty();
  const tracer = recorder();
  prompty.tracers.register('one', tracer);
  const render = (length: number): unknown =>
    prompty.render(agentOf('x'), { many: Array.from({ length }, (_, at) => `a${at}`) });
  expect(costOf(() => render(400_000))).toBeLessThan(200);
  expect(tracer.spans[0]).toMatchObject({ after: { 'prompty.result': '[redacted] (an input has "…")' } });
  expect(costOf(() => render(200_000))).toBeLessThan(200);
  expect(tracer.spans.at(-1)).toMatchObject({ after: { 'prompty.result': 'x' } });
});

test('Members of a list that are no elements are searched, indices are not', () => {
  const prompty = createPrompty({ secrets: ['under-the-mat', '12345678'] });
  const tracer = recorder();
  prompty.tracers.register('one', tracer);
  prompty.render(agentOf('x'), { x: Object.assign([1], { 'under-the-mat': 1 }) });
  prompty.render(agentOf('x'), { x: Object.assign([1], { 12345678: 1 }) });
  expect(tracer.spans).toMatchObject([
    { after: { 'prompty.result': '[redacted] (an input has a secret)' } },
    { after: { 'prompty.result': 'x' } },
  ]);
});

test('A tracer is told no result where inputs have more text than is looked through', () => {
  const prompty = createPrompty();
  const tracer = recorder();
  prompty.tracers.register('one', tracer);
  const text = 'x'.repeat(1_000_000);
  prompty.render(agentOf('x'), { many: Array.from({ length: 10 }, () => text) });
  expect(tracer.spans[0]).toMatchObject({ after: { 'prompty.result': expect.stringContaining('[redacted]') } });
});

test('A tracer is told of a huge integer no more than that it is one', () => {
  const prompty = createPrompty();
  const tracer = recorder();
  prompty.tracers.register('one', tracer);
  const inputs = { huge: 1n << 20_000_000n, small: 7n };
  expect(costOf(() => prompty.render(agentOf('x'), inputs))).toBeLessThan(100);
  expect(tracer.spans[0]).toMatchObject({ before: { 'prompty.inputs': '{"huge":"<bigint>","small":"7"}' } });
});
