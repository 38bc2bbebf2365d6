import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import {
  createJsonLinesTracer,
  createOpenTelemetryTracer,
  createPrompty,
  loadPrompty,
  render,
  tracers,
} from '../../prompty.ts';
import { agentOf } from './fixtures/agent.ts';
import { recorder } from './fixtures/recorder.ts';
import { createJsonLines } from './json-lines-tracer.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-tracers-'));
afterAll(() => rmSync(folder, { recursive: true }));

const AGENT = agentOf('{{ q }}{{ photo }}', [{ name: 'photo', kind: 'image' }]);
const PHOTO = 'https://host.test/private.png';

describe('A tracer', () => {
  test('is told nothing of a key of many megabytes, which disturbs nothing', () => {
    const prompty = createPrompty();
    const tracer = recorder();
    const key = `sk-ant-${'A'.repeat(33_554_432)}`;
    prompty.renderers.register('long', { render: () => key, renderAsync: async () => key });
    prompty.tracers.register('one', tracer);
    expect(prompty.render(agentOf('', [], 'long')) === key).toBe(true);
    expect(tracer.spans).toMatchObject([{ after: { 'prompty.result': '[redacted]' } }]);
  });

  test('is told of both render functions: what was rendered, from which inputs, and what came of it', async () => {
    const prompty = createPrompty();
    const tracer = recorder();
    prompty.tracers.register('one', tracer);
    prompty.render(AGENT, { q: 'why?', photo: PHOTO });
    await prompty.renderAsync(AGENT, { q: 'why?' });
    const before = {
      'prompty.name': 'sample',
      'prompty.format': 'jinja2',
      'prompty.inputs': '{"q":"why?","photo":"<image>"}',
    };
    const result = { 'prompty.result': expect.stringMatching(/^why\?__PROMPTY_THREAD_\w+_photo__$/) };
    expect(tracer.spans).toEqual([
      { name: 'render', before, after: result },
      { name: 'render', before: { ...before, 'prompty.inputs': '{"q":"why?"}' }, after: { 'prompty.result': 'why?' } },
    ]);
    prompty.tracers.remove('one');
    prompty.render(AGENT, { q: 'why?' });
    expect(tracer.spans).toHaveLength(2);
  });

  test('is told of a failure, which reaches the caller as it is', async () => {
    const prompty = createPrompty();
    const tracer = recorder();
    prompty.tracers.register('one', tracer);
    const broken = agentOf('{{');
    expect(() => prompty.render(broken)).toThrow(expect.objectContaining({ code: 'template_syntax' }));
    await expect(prompty.renderAsync(broken)).rejects.toMatchObject({ code: 'template_syntax' });
    const after = { name: 'ValueError', message: expect.stringContaining('line 1') };
    expect(tracer.spans).toMatchObject([{ after }, { after }]);
  });

  test.each([
    ['null', null],
    ['a list', [1]],
    ['a proxy', new Proxy({}, { ownKeys: () => expect.unreachable('code of an input ran') })],
    [
      'more inputs than any prompt takes',
      Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`k${at}`, at])),
    ],
  ])('is told of a call with inputs that are none, which fails as it does without one: %s', async (_, given) => {
    // What JavaScript can hand over, whatever the types say.
    const inputs = given as Record<string, unknown>;
    const refused = { name: 'ValueError', code: 'invalid_input' };
    const prompty = createPrompty();
    expect(() => prompty.render(AGENT, inputs)).toThrow(expect.objectContaining(refused));
    const tracer = recorder();
    prompty.tracers.register('one', tracer);
    expect(() => prompty.render(AGENT, inputs)).toThrow(expect.objectContaining(refused));
    await expect(prompty.renderAsync(AGENT, inputs)).rejects.toMatchObject(refused);
    const span = { name: 'render', before: { 'prompty.name': 'sample' }, after: { name: 'ValueError' } };
    expect(tracer.spans).toMatchObject([span, span]);
  });

  test('is told of a call that can not be described, which fails as it does without one', () => {
    const prompty = createPrompty();
    const broken = { ...AGENT, template: undefined } as unknown as typeof AGENT;
    expect(() => prompty.render(broken)).toThrow(TypeError);
    const tracer = recorder();
    prompty.tracers.register('one', tracer);
    expect(() => prompty.render(broken)).toThrow(TypeError);
    const before = { 'prompty.undescribed': expect.any(String) };
    expect(tracer.spans).toMatchObject([{ name: 'render', before, after: { name: 'TypeError' } }]);
  });

  test('that fails disturbs neither the others nor the work', () => {
    const problems: unknown[] = [];
    const prompty = createPrompty({ onTracerProblem: (problem) => problems.push(problem) });
    const tracer = recorder();
    const fail = (): never => {
      throw new Error('no disk');
    };
    prompty.tracers.register('deaf', { startSpan: fail });
    prompty.tracers.register('late', { startSpan: () => ({ end: fail, error: fail }) });
    prompty.tracers.register('fine', tracer);
    expect(prompty.render(AGENT, { q: 'why?' })).toBe('why?');
    expect(() => prompty.render(agentOf('{{'))).toThrow(expect.objectContaining({ code: 'template_syntax' }));
    expect(tracer.spans).toHaveLength(2);
    expect(problems).toEqual([
      { tracer: 'deaf', message: 'no disk' },
      { tracer: 'late', message: 'no disk' },
      { tracer: 'deaf', message: 'no disk' },
      { tracer: 'late', message: 'no disk' },
    ]);
  });

  test('that fails later, where nobody waits for it, is told as well', async () => {
    const problems: unknown[] = [];
    const prompty = createPrompty({ onTracerProblem: (problem) => problems.push(problem) });
    const fail = async (): Promise<void> => {
      throw new Error('no network');
    };
    prompty.tracers.register('slow', { startSpan: () => ({ end: fail, error: fail }) });
    expect(prompty.render(AGENT, { q: 'why?' })).toBe('why?');
    await vi.waitFor(() => expect(problems).toEqual([{ tracer: 'slow', message: 'no network' }]), { timeout: 10_000 });
  });

  test('changes nothing of what others are told, and whoever hears of problems may fail as well', () => {
    const prompty = createPrompty({ onTracerProblem: () => fail() });
    const fail = (): never => {
      throw new Error('no disk');
    };
    const rob = (attributes: object): never => {
      for (const key of Object.keys(attributes)) Reflect.deleteProperty(attributes, key);
      return fail();
    };
    const tracer = recorder();
    prompty.tracers.register('robber', { startSpan: (_, attributes) => rob(attributes) });
    prompty.tracers.register('late robber', { startSpan: () => ({ end: rob, error: rob }) });
    prompty.tracers.register('fine', tracer);
    expect(prompty.render(AGENT, { q: 'why?' })).toBe('why?');
    expect(tracer.spans).toMatchObject([{ before: { 'prompty.name': 'sample' }, after: { 'prompty.result': 'why?' } }]);
  });

  test.each<readonly [string, object]>([
    ['{{ credentials.value }}', { credentials: { value: 'hunter2' } }],
    ['{{ tokens[0] }}', { tokens: ['hunter2'] }],
    ['{{ password|upper }}', { password: 'hunter2' }],
    ['{{ login|tojson }}', { login: { password: 'hunter"2' } }],
    ['{{ pass_token }}', { pass_token: 1234 }],
    ...['private_key', 'access-key', 'accessKey', 'passphrase', 'db_passwd', 'api-key', 'signature', 'cookies'].map(
      (name) => ['{{ login[name] }}', { login: { [name]: 'hunter2' }, name }] as const,
    ),
    [
      `{{ a${'.a'.repeat(19)}.secret }}`,
      Array.from({ length: 20 }).reduce<object>((a) => ({ a }), { secret: 'hunter2' }),
    ],
  ])('is not told what %s makes of an input that its name says is secret', (template, inputs) => {
    const prompty = createPrompty();
    const tracer = recorder();
    prompty.tracers.register('one', tracer);
    expect(prompty.render(agentOf(template), { ...inputs })).toMatch(/hunter|1234/i);
    expect(JSON.stringify(tracer.spans)).not.toMatch(/hunter|1234/i);
    expect(tracer.spans).toMatchObject([{ after: { 'prompty.result': expect.stringContaining('[redacted]') } }]);
  });

  test('is not told a secret that is a default', () => {
    const prompty = createPrompty();
    const tracer = recorder();
    prompty.tracers.register('one', tracer);
    prompty.render({
      ...agentOf('{{ password }}'),
      inputs: [{ name: 'password', kind: 'string', required: false, default: 'hunter2' }],
    });
    expect(JSON.stringify(tracer.spans)).not.toContain('hunter2');
  });

  test('never sees a secret that the text made of it has, escaped for HTML, or where a long text is cut', () => {
    const prompty = createPrompty({ secrets: ['under<the>mat'] });
    const tracer = recorder();
    prompty.tracers.register('one', tracer);
    const agent = agentOf('{{text}} {{author}}', [], 'mustache');
    expect(prompty.render(agent, { text: 'under<the>mat', author: 'Ada Lovelace' })).toContain('under&lt;the&gt;mat');
    const login = { password: 'open&sesame' };
    expect(prompty.render(agentOf('{{login.password}}', [], 'mustache'), { login })).toBe('open&amp;sesame');
    prompty.render(agentOf('{{ text }}'), { text: `${'x'.repeat(19_990)}under<the>mat` });
    const told = JSON.stringify(tracer.spans);
    for (const secret of ['under', 'sesame']) expect(told).not.toContain(secret);
    expect(told).toContain('Ada Lovelace');
  });

  test('never sees a secret: known values, what looks like a key, and what stands under such a name', () => {
    const file = join(folder, 'secret.prompty');
    writeFileSync(file, '---\ninputs:\n  from_env: ${env:HOUSE_KEY}\n---\n{{ from_env }} {{ text }}');
    const prompty = createPrompty({ env: { HOUSE_KEY: 'in-the-flower-pot' }, secrets: ['under-the-mat'] });
    const tracer = recorder();
    prompty.tracers.register('one', tracer);
    const text = 'in-the-flower-pot, under-the-mat, sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAA';
    const rendered = prompty.render(prompty.load(file), { text, deep: { api_key: 'short', list: [{ Password: 1 }] } });
    expect(rendered).toContain('under-the-mat');
    prompty.render(agentOf('{{ text }}'), { text });
    const told = JSON.stringify(tracer.spans);
    for (const secret of ['in-the-flower-pot', 'under-the-mat', 'sk-ant-api03-A', 'short', ':1'])
      expect(told).not.toContain(secret);
    expect(told).toContain('[redacted]');
  });

  test("of the module's render never sees what loading read from env either", () => {
    const file = join(folder, 'module.prompty');
    writeFileSync(file, '---\ninputs:\n  from_env: ${env:HOUSE_KEY}\n---\n{{ from_env }}');
    const read: string[] = [];
    const agent = loadPrompty(file, { env: { HOUSE_KEY: 'under<the>step' }, onVariable: (value) => read.push(value) });
    const tracer = recorder();
    tracers.register('one', tracer);
    try {
      expect(render(agent)).toBe('under<the>step');
    } finally {
      tracers.remove('one');
    }
    expect(read).toEqual(['under<the>step']);
    const result = '[redacted] (an input has a secret)';
    expect(tracer.spans).toMatchObject([{ name: 'render', after: { 'prompty.result': result } }]);
  });

  test('of an instance never sees what the module loaded, where the instance was handed what is long enough', () => {
    const file = join(folder, 'handed.prompty');
    writeFileSync(file, '---\ninputs:\n  key: ${env:HOUSE_KEY}\n  port: ${env:PORT}\n---\n{{ key }}:{{ port }}');
    const read: string[] = [];
    const env = { HOUSE_KEY: 'under-the-step', PORT: '8080' };
    const agent = loadPrompty(file, { env, onVariable: (value) => read.push(value) });
    expect(read).toEqual(['under-the-step', '8080']);
    const prompty = createPrompty({ secrets: read.filter(({ length }) => length >= 8) });
    const tracer = recorder();
    prompty.tracers.register('one', tracer);
    expect(prompty.render(agent)).toBe('under-the-step:8080');
    const before = { 'prompty.inputs': '{}' };
    const after = { 'prompty.result': '[redacted] (an input has a secret)' };
    expect(tracer.spans).toMatchObject([{ before, after }]);
    prompty.render(agentOf('under-the-step:8080'));
    expect(tracer.spans[1]).toMatchObject({ after: { 'prompty.result': '[redacted]:8080' } });
  });

  test('is never promised more than can be kept: a secret that is too short to be looked for is refused', () => {
    expect(() => createPrompty({ secrets: ['in-the-flower-pot', 'hunter2'] })).toThrow(
      expect.objectContaining({
        code: 'invalid_argument',
        message: expect.stringMatching(/^secrets\[1\].* 8 characters/),
      }),
    );
  });

  test('costs inputs nothing: no getter is read, no function called, nothing hangs', () => {
    const prompty = createPrompty();
    const tracer = recorder();
    prompty.tracers.register('one', tracer);
    const circle: Record<string, unknown> = { toJSON: () => expect.unreachable() };
    circle['self'] = circle;
    Object.defineProperty(circle, 'trap', { enumerable: true, get: () => expect.unreachable() });
    const many = Array.from({ length: 100_000 }, () => ({ a: 1 }));
    prompty.render(agentOf('x'), { circle, many, when: new Date(0), big: 1n, text: 'é'.repeat(50_000) });
    expect(tracer.spans).toMatchObject([{ name: 'render', after: { 'prompty.result': 'x' } }]);
    expect(String(tracer.spans[0]?.before['prompty.inputs']).length).toBeLessThanOrEqual(20_001);
  });
});

test('JSON lines: one for each span that has ended, whole, in a file nobody else reads', () => {
  const file = join(folder, 'spans.jsonl');
  const prompty = createPrompty();
  prompty.tracers.register('file', createJsonLinesTracer(file));
  prompty.prepare(AGENT, { q: 'two\nlines' });
  expect(() => prompty.render(agentOf('{{'))).toThrow('line 1');
  const lines = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  expect(lines).toMatchObject([
    { name: 'render', attributes: { 'prompty.name': 'sample', 'prompty.result': 'two\nlines' } },
    { name: 'parse', attributes: { 'prompty.parser': 'prompty', 'prompty.messages': 1 } },
    { name: 'render', error: { name: 'ValueError' } },
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('JSON lines say when a span began and how long it took', () => {
  const lines: string[] = [];
  const times = [1000, 1250];
  const tracer = createJsonLines({ write: (line) => lines.push(line), now: () => times.shift() ?? 0 });
  tracer.startSpan('render', { a: 1 }).end({ b: 'x' });
  expect(lines).toEqual([
    '{"name":"render","start":"1970-01-01T00:00:01.000Z","duration_ms":250,"attributes":{"a":1,"b":"x"}}\n',
  ]);
});

test('OpenTelemetry: a span with the attributes, ended once, with status and error.type where it failed', () => {
  const told: unknown[] = [];
  const tracer = createOpenTelemetryTracer({
    startSpan(name, options) {
      told.push(['start', name, options]);
      return {
        setAttributes: (attributes) => told.push(['set', attributes]),
        setStatus: (status) => told.push(['status', status]),
        end: () => void told.push(['end']),
      };
    },
  });
  tracer.startSpan('render', { a: 1 }).end({ b: 'x' });
  tracer.startSpan('render', {}).error({ name: 'ValueError', message: 'bad' });
  expect(told).toEqual([
    ['start', 'render', { attributes: { a: 1 } }],
    ['set', { b: 'x' }],
    ['end'],
    ['start', 'render', { attributes: {} }],
    ['set', { 'error.type': 'ValueError' }],
    ['status', { code: 2, message: 'bad' }],
    ['end'],
  ]);
});
