import { describe, expect, test } from 'vitest';
import { MAX_MS, timed } from './fixtures/timed.ts';
import { ownData } from './own-data.ts';
import { compileTemplate, type TemplateFormat } from './template.ts';
import { ValueError } from './value-error.ts';

describe('A hostile input', () => {
  const trap = (): never => {
    throw new Error('Code of an input has run');
  };
  const armed = new Proxy(() => undefined, {
    get: trap,
    has: trap,
    ownKeys: trap,
    getOwnPropertyDescriptor: trap,
    getPrototypeOf: trap,
    apply: trap,
  });
  const list = [1, 2];
  Object.defineProperty(list, 1, { get: trap, enumerable: true });
  class Account {
    readonly name = 'x';
    get secret(): never {
      return trap();
    }
    toString(): string {
      return trap();
    }
    toJSON(): string {
      return trap();
    }
  }
  const INPUTS: Readonly<Record<string, unknown>> = {
    getter: Object.defineProperty({}, 'x', { get: trap, enumerable: true }),
    hidden: Object.defineProperty({}, 'x', { value: 'secret', enumerable: false }),
    'inherited getter': Object.create({
      get x() {
        return trap();
      },
    }),
    'getter in a list': list,
    proxy: new Proxy({}, { get: trap, has: trap, ownKeys: trap, getOwnPropertyDescriptor: trap, getPrototypeOf: trap }),
    'proxy of a list': new Proxy([1], {
      get: trap,
      has: trap,
      ownKeys: trap,
      getOwnPropertyDescriptor: trap,
      getPrototypeOf: trap,
    }),
    'revoked proxy': revoked({}),
    'revoked proxy of a list': revoked([]),
    'function proxy': armed,
    function: Object.assign(trap, { x: 1 }),
    instance: new Account(),
    'own toString': {
      toString: trap,
      valueOf: trap,
      toJSON: trap,
      [Symbol.toPrimitive]: trap,
      [Symbol.iterator]: trap,
    },
    map: new Map([['x', 1]]),
    set: new Set([1]),
    date: new Date(0),
    symbol: Symbol('x'),
    cycle: cyclic(),
    'deep list': deep(100_000),
    'list with a foreign prototype': Object.setPrototypeOf([1], {
      x: 1,
      get length() {
        return trap();
      },
    }),
    'boxed string': new String('x'),
    'typed array': new Uint8Array(3),
  };
  const TEMPLATES: readonly (readonly [TemplateFormat, string])[] = [
    ...[
      '{{ v }}',
      '{{ v.x }}',
      '{{ v["x"] }}',
      '{{ v[0] }}',
      '{{ v[1] }}',
      '{{ v[-1] }}',
      '{% for a in v %}{{ a }}{% endfor %}',
      '{% if v %}{% endif %}',
      '{% if v.x %}{% endif %}',
      '{{ v|tojson }}',
      '{{ v|join }}',
      '{{ v|length }}',
      '{{ v|upper }}',
      '{{ v|items }}',
      '{{ v|map(attribute="x")|join }}',
      '{{ v|sort }}',
      '{{ v|unique|join }}',
      '{{ v|first }}',
      '{{ v|list|length }}',
      '{{ v|default("d") }}',
      '{{ v ~ "" }}',
      '{{ v + 1 }}',
      '{{ v + v }}',
      '{{ v * 2 }}',
      '{{ v == {} }}',
      '{{ v == v }}',
      '{{ [v] == [[]] }}',
      '{{ "x" in v }}',
      '{{ v in [v] }}',
      '{{ v in "x" }}',
      '{{ v < 1 }}',
      '{{ v[1:] }}',
      '{{ {v: 1} }}',
      '{{ [v] }}',
      '{{ {"a": v}|tojson }}',
      '{{ x[v] }}',
      '{{ range(v) }}',
      '{{ -v }}',
      '{{ v is mapping }}',
      '{{ v is sequence }}',
      '{{ v is even }}',
      '{{ v is boolean }}{{ v is string }}{{ v is number }}{{ v is none }}{{ v is defined }}',
      '{{ v|last }}',
      '{{ v|reject|list }}',
      '{{ [v]|sort }}',
      '{{ not v }}',
      '{{ v * v }}',
      '{{ v <= v }}',
      '{{ v|default(v, true) }}',
      '{% include "p" ignore missing %}{{ v ~ v }}',
      '{{ "a"|replace(v, v) }}',
      '{{ "a"|indent(v) }}',
      '{% set a, b = v %}{{ a }}',
      '{% macro m(p) %}{{ p }}{% endmacro %}{{ m(v) }}',
    ].map((text) => ['jinja2', text] as const),
    ...[
      '{{v}}',
      '{{{v}}}',
      '{{v.x}}',
      '{{#v}}{{x}}{{.}}{{/v}}',
      '{{^v}}x{{/v}}',
      '{{#v.x}}{{.}}{{/v.x}}',
      '{{#v}}{{#x}}{{y}}{{/x}}{{/v}}',
    ].map((text) => ['mustache', text] as const),
  ];

  test.each(Object.keys(INPUTS))('%s: nothing of it runs, in no template', (name) => {
    const failed: string[] = [];
    for (const [format, text] of TEMPLATES) {
      const render = (): string => compileTemplate(text, format).render({ v: INPUTS[name] }).text;
      const { error, result: rendered, ms } = timed(render);
      const isTyped = error === undefined || error instanceof ValueError;
      const isSafe = isTyped && !/Code of an input|secret/.test(`${String(error)}${rendered}`) && ms < MAX_MS;
      if (!isSafe) failed.push(`${text}: ${String(error)}, ${rendered}, ${ms} ms`);
    }
    expect(failed).toEqual([]);
  });

  test.each(['proxy', 'revoked proxy', 'instance', 'map', 'set', 'date', 'function'])(
    '%s is refused as what a section of Mustache is about',
    (name) => {
      for (const text of ['{{#v}}x{{/v}}', '{{^v}}x{{/v}}']) {
        const render = (): unknown => compileTemplate(text, 'mustache').render({ v: INPUTS[name] });
        expect(render).toThrow(expect.objectContaining({ code: 'template_value' }));
      }
    },
  );

  test.each(['jinja2', 'mustache'] as const)('of %s may be all inputs at once', (format) => {
    const inputs = Object.defineProperties(
      {},
      { a: { get: trap, enumerable: true }, b: { value: 1, enumerable: false } },
    );
    const text = compileTemplate('[{{ a }}{{ b }}{{ toString }}]', format).render(inputs).text;
    expect(text).toBe('[]');
  });
});

test('More inputs than any prompt has are refused', () => {
  const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`k${at}`, at]));
  expect(() => ownData(many)).toThrow(expect.objectContaining({ name: 'ValueError', code: 'invalid_input' }));
});

function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

function cyclic(): unknown {
  const value: Record<string, unknown> = {};
  value['x'] = value;
  value['list'] = [value, [value]];
  return value;
}

function deep(levels: number): unknown {
  let value: unknown = [];
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}
