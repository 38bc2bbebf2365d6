import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { describe, expect, test } from 'vitest';
import {
  createPrompty,
  createRenderContext,
  InvokerError,
  render,
  renderAsync,
  tracers,
  ValueError,
  type Tracer,
} from '../../prompty.ts';
import type { PromptyInput } from '../../core/prompty-agent.ts';
import { createNonces } from './nonces.ts';
import { agentOf } from './fixtures/agent.ts';

type Declared = readonly (Partial<PromptyInput> & { readonly name: string })[];
const NONCE = /^__PROMPTY_THREAD_[0-9a-f]{16}_(\w+)__$/;
const THREAD = [{ role: 'user', content: 'before' }];

describe('What is rendered', () => {
  test.each<[clause: string, template: string, declared: Declared, inputs: Record<string, unknown>, text: string]>([
    ['{{variable}}', '{{a}}', [], { a: 'x' }, 'x'],
    ['{{object.property}}', '{{a.b}}', [], { a: { b: 'x' } }, 'x'],
    ['{% if %} {% elif %} {% else %}', '{% if a %}1{% elif b %}2{% else %}3{% endif %}', [], { b: true }, '2'],
    ['{% for %}', '{% for n in list %}{{n}},{% endfor %}', [], { list: [1, 2] }, '1,2,'],
    ['{# comment #}', 'a{# not there #}b', [], {}, 'ab'],
    ['default', '{{a|default("none")}}', [], {}, 'none'],
    ['upper', '{{a|upper}}', [], { a: 'x' }, 'X'],
    ['lower', '{{a|lower}}', [], { a: 'X' }, 'x'],
    ['join', '{{a|join(", ")}}', [], { a: ['x', 'y'] }, 'x, y'],
    ['length', '{{a|length}}', [], { a: [1, 2, 3] }, '3'],
    ['trim', '[{{a|trim}}]', [], { a: ' x ' }, '[x]'],
    ['validate_inputs: defaults', '{{a}}', [{ name: 'a', default: 'd' }], {}, 'd'],
    ['validate_inputs: a value wins over a default', '{{a}}', [{ name: 'a', default: 'd' }], { a: 'v' }, 'v'],
    ['validate_inputs: extras pass through', '{{a}}', [], { a: 'extra' }, 'extra'],
    ['validate_inputs: an example is no value', '[{{a}}]', [{ name: 'a', example: 'e' }], {}, '[]'],
    ['validate_inputs: optional inputs may be missing', '[{{a}}]', [{ name: 'a' }], {}, '[]'],
    ['validate_inputs: null is not given', '{{a}}', [{ name: 'a', default: 'd' }], { a: null }, 'd'],
    ['validate_inputs: null is no default', '[{{a|default("x")}}]', [{ name: 'a', default: null }], {}, '[x]'],
    [
      'validate_inputs: null is not given, so that there is nothing where there is no default',
      '[{{a|default("x")}}]{{a is defined}}',
      [{ name: 'a' }],
      { a: null },
      '[x]false',
    ],
    [
      'validate_inputs: null is missing and not none, and inside of an input it is none and not missing',
      '{{a is none}} {{a is undefined}} {{b.c is none}} {{b.c is undefined}} {{d[0] is none}}',
      [{ name: 'a' }],
      { a: null, b: { c: null }, d: [null] },
      'false true true false true',
    ],
    ['validate_inputs: null is not given, nor is it an extra', '{{a is defined}}', [], { a: null }, 'false'],
    ['a rich input that is null is missing', '{{a|default("x")}}', [{ name: 'a', kind: 'image' }], { a: null }, 'x'],
    [
      'a rich input that is missing is missing',
      '{% if a %}1{% else %}0{% endif %}',
      [{ name: 'a', kind: 'image' }],
      {},
      '0',
    ],
    [
      'defaults, whatever the name of the input is',
      '[{{__proto__}}]',
      [{ name: '__proto__', default: 'd' }],
      {},
      '[d]',
    ],
    ['names of prototypes are no inputs', '[{{constructor}}{{__proto__}}]', [], {}, '[]'],
  ])('"%s"', async (_clause, template, declared, inputs, text) => {
    const agent = agentOf(template, declared);
    expect(render(agent, inputs)).toBe(text);
    expect(await renderAsync(agent, inputs)).toBe(text);
  });

  test('"mustache" is the other engine that ships; it escapes for HTML unless the format says otherwise', () => {
    const agent = agentOf('{{a}}{{#list}}<{{.}}>{{/list}}', [], 'mustache');
    expect(render(agent, { a: '&', list: [1, 2] })).toBe('&amp;<1><2>');
    const plain = { ...agent, template: { ...agent.template, format: { kind: 'mustache', escape: false } } };
    expect(render(plain, { a: '&', list: [] })).toBe('&');
    const unclear = { ...agent, template: { ...agent.template, format: { kind: 'mustache', escape: 'no' } } };
    expect(() => render(unclear, { a: '&' })).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });
});

test('"Both functions MUST be traced: emit a render span"', async () => {
  const spans: unknown[] = [];
  const tracer: Tracer = {
    startSpan: (name) => ({
      end: ({ 'prompty.result': result }) => spans.push([name, result]),
      error: ({ name: error }) => spans.push([name, error]),
    }),
  };
  tracers.register('test', tracer);
  try {
    render(agentOf('{{a}}'), { a: 'x' });
    await renderAsync(agentOf('{{a}}'), { a: 'y' });
    expect(() => render(agentOf('{{'))).toThrow(ValueError);
  } finally {
    tracers.remove('test');
  }
  render(agentOf('{{a}}'), { a: 'z' });
  expect(spans).toEqual([
    ['render', 'x'],
    ['render', 'y'],
    ['render', 'ValueError'],
  ]);
});

test('nothing of an input runs while inputs are prepared: getters are missing, what is no data is refused', () => {
  const trap = { enumerable: true, get: () => expect.unreachable('a getter ran') };
  const trapped = Object.defineProperty({ b: 1 }, 'a', trap);
  const agent = agentOf('[{{ a }}{{ b }}]', [{ name: 'a' }, { name: 'b' }]);
  expect(render(agent, trapped)).toBe('[1]');
  const armed = new Proxy({ a: 1 }, { get: trap.get, ownKeys: trap.get, getOwnPropertyDescriptor: trap.get });
  for (const given of [armed, [], 'a', null, Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [at, at]))]) {
    // What JavaScript can hand over, whatever the types say.
    const asked = given as unknown as Record<string, unknown>;
    expect(() => render(agent, asked)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  }
  const image = agentOf('{{ a }}', [{ name: 'a', kind: 'image' }]);
  const thread = agentOf('{{ a }}', [{ name: 'a', kind: 'thread' }]);
  const value = Object.defineProperty({}, 'value', trap);
  const message = Object.defineProperty({ content: 'x' }, 'role', trap);
  for (const [rich, a] of [
    [image, value],
    [image, armed],
    [thread, [message]],
    [thread, [armed]],
    [thread, armed],
  ] as const)
    expect(() => render(rich, { a })).toThrow(expect.objectContaining({ code: 'invalid_input' }));
});

describe('Rich kinds', () => {
  test.each([
    ['thread', THREAD],
    ['image', 'https://host.test/a.png'],
    ['file', 'data:application/pdf;base64,JVBERi0='],
    ['audio', 'SUQzBAA='],
  ] as const)('"all rich kinds are replaced with nonce strings": %s', (kind, value) => {
    const agent = agentOf('{{a_name}}', [{ name: 'a_name', kind }]);
    expect(NONCE.exec(render(agent, { a_name: value }))?.[1]).toBe('a_name');
  });

  test('"unique per render invocation": the same inputs give another nonce each time', () => {
    const agent = agentOf('{{a}}', [{ name: 'a', kind: 'thread' }]);
    const texts = Array.from({ length: 2000 }, () => render(agent, { a: THREAD }));
    expect(new Set(texts).size).toBe(2000);
  });

  test('"8 bytes of cryptographic random data": drawn for many nonces at once, each byte used once', () => {
    const drawn: number[] = [];
    let next = 0;
    const newNonce = createNonces((size) => {
      drawn.push(size);
      return Uint8Array.from({ length: size }, () => next++ % 251);
    });
    const nonces = Array.from({ length: 300 }, newNonce);
    expect(nonces[0]).toBe('0001020304050607');
    expect(nonces[1]).toBe('08090a0b0c0d0e0f');
    expect(nonces.every((nonce) => /^[0-9a-f]{16}$/.test(nonce))).toBe(true);
    expect(drawn).toEqual([2048, 2048]);
  });

  test('"MUST use cryptographically secure random bytes": the instances that ship draw theirs from node:crypto', () => {
    const drawn: string[] = [];
    const { randomBytes } = crypto;
    const draw = (size: number): Buffer => {
      const bytes = randomBytes(size);
      drawn.push(bytes.toString('hex'));
      return bytes;
    };
    Object.assign(crypto, { randomBytes: draw });
    syncBuiltinESMExports();
    try {
      const text = createPrompty().render(agentOf('{{a}}', [{ name: 'a', kind: 'thread' }]), { a: THREAD });
      expect(drawn).toHaveLength(1);
      expect(text).toBe(`__PROMPTY_THREAD_${drawn[0]?.slice(0, 16)}_a__`);
    } finally {
      Object.assign(crypto, { randomBytes });
      syncBuiltinESMExports();
    }
  });

  test('"the mapping is stored in thread-safe per-request storage": in the context of the call, and in no other', () => {
    const agent = agentOf('{{a}}', [{ name: 'a', kind: 'image' }]);
    const [one, other] = [createRenderContext(), createRenderContext()];
    const first = render(agent, { a: 'https://host.test/1' }, one);
    render(agent, { a: 'https://host.test/2' }, other);
    expect([...(one.rendered?.nonces ?? [])]).toEqual([
      [first, { kind: 'image', part: { kind: 'image', value: 'https://host.test/1' } }],
    ]);
    expect(other.rendered?.nonces.has(first)).toBe(false);
    expect(() => render(agent, {}, one)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });

  test.each([
    ['thread', 'not a list'],
    ['thread', [{ role: 'wizard', content: 'x' }]],
    ['thread', [{ role: 'user', content: [{ kind: 'image', value: 'not base64!' }] }]],
    ['image', 42],
    ['image', 'neither a URL nor base64'],
    ['audio', { mediaType: 'audio/wav' }],
  ] as const)('a value that can not be a %s is refused: %j', (kind, value) => {
    const agent = agentOf('{{a}}', [{ name: 'a', kind }]);
    expect(() => render(agent, { a: value })).toThrow(
      expect.objectContaining({ name: 'ValueError', code: 'invalid_input', message: expect.stringContaining('"a"') }),
    );
  });
});

describe('Errors', () => {
  test('"unknown template format kind → InvokerError", which names component and key', async () => {
    const agent = agentOf('x', [], 'liquid');
    const expected = { name: 'InvokerError', component: 'renderer', key: 'liquid', code: 'invoker_unknown' };
    expect(() => render(agent)).toThrow(expect.objectContaining(expected));
    await expect(renderAsync(agent)).rejects.toThrow(InvokerError);
  });

  test('the parser is looked up as well', () => {
    const prompty = createPrompty();
    const agent = agentOf('x');
    const odd = { ...agent, template: { ...agent.template, parser: { kind: 'yaml' } } };
    expect(() => prompty.prepare(odd)).toThrow(expect.objectContaining({ component: 'parser', key: 'yaml' }));
  });

  test('"template syntax error → ValueError", with line and column', async () => {
    const agent = agentOf('fine\n{{ a | }}');
    expect(() => render(agent)).toThrow(ValueError);
    await expect(renderAsync(agent)).rejects.toMatchObject({ code: 'template_syntax', where: { line: 2 } });
  });

  test('"missing required input → ValueError", which names all that are missing', async () => {
    const agent = agentOf('x', [
      { name: 'a', required: true },
      { name: 'b', required: true, example: 'no value' },
      { name: 'c', required: true },
      { name: 'd', required: true, default: null },
    ]);
    expect(() => render(agent, { c: '' })).toThrow(ValueError);
    await expect(renderAsync(agent, { c: '' })).rejects.toMatchObject({
      code: 'missing_input',
      message: 'Required inputs are missing: a, b, d',
    });
  });
});

describe('"Implementations MUST NOT allow templates to execute arbitrary code, access the filesystem, or make network calls"', () => {
  test.each([
    ['{{ "".constructor.constructor("return process")() }}', 'template_syntax'],
    ['{{ cycler.__init__.__globals__.os.popen("id").read() }}', 'template_syntax'],
    ['{{ a.constructor.constructor }}{{ self.__class__ }}', ''],
    ['{% set f = a.toString %}{{ f() }}', 'template_syntax'],
    ['{% import "os" as os %}', 'template_syntax'],
    ['{% include "/etc/hosts" %}', 'template_syntax'],
    ['{% include "../../package.json" %}', 'template_syntax'],
    ['{% extends "https://host.test/a.html" %}', 'template_syntax'],
    ['{{ fetch("https://host.test/") }}', 'template_syntax'],
    ['{{ call }}', 'template_value'],
    ['{{ [1]|map(call)|list }}', 'template_syntax'],
  ])('jinja2: %s', (template, outcome) => {
    expect(codeOrText(() => render(agentOf(template), { a: 'x', call: harmful }))).toBe(outcome);
  });

  test.each([
    ['{{#call}}x{{/call}}', 'template_value'],
    ['{{call}}', 'template_value'],
    ['{{a.constructor.constructor}}{{#a.constructor}}x{{/a.constructor}}', ''],
    ['{{>/etc/hosts}}{{>../../package.json}}{{>https://host.test/}}', ''],
    ['{{*call}}', 'template_syntax'],
  ])('mustache: %s', (template, outcome) => {
    expect(codeOrText(() => render(agentOf(template, [], 'mustache'), { a: 'x', call: harmful }))).toBe(outcome);
  });

  function harmful(): never {
    return expect.unreachable('code of an input ran');
  }
});

function codeOrText(work: () => string): string {
  try {
    return work();
  } catch (error) {
    if (error instanceof ValueError) return error.code;
    throw error;
  }
}
