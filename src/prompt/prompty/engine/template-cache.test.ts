import { describe, expect, test } from 'vitest';
import { createTemplateCache } from './template-cache.ts';
import { compileTemplate, type CompiledTemplate, type TemplateFormat } from './template.ts';

const registry = new Map([['big', '{{a}}'.repeat(100)]]);

describe('A cache of templates', () => {
  test.each<readonly [TemplateFormat, string, string]>([
    ['jinja2', 'one with many tags', '{{a}}'.repeat(100)],
    ['jinja2', 'one that includes many tags', '{% include "big" %}'],
    ['jinja2', 'one that includes many tags twice', '{% include "big" %}{% include "big" %}'],
    ['mustache', 'one with many tags', '{{a}}'.repeat(300)],
    ['mustache', 'one with partials, which are compiled when they are met', '{{>big}}'],
  ])('of %s counts what %s holds in memory, not its text', (format, _, text) => {
    const cache = createTemplateCache({ entries: 10, units: 20_000 });
    const compile = (template: string): CompiledTemplate => compileTemplate(template, format, { cache, registry });
    const small = compile('small');
    expect(compile(text).units).toBeGreaterThan(20_000);
    expect(compile(text)).not.toBe(compile(text));
    expect(compile('small')).toBe(small);
  });

  test('tells formats, escaping and registries of one text apart', () => {
    const cache = createTemplateCache();
    const text = '{{{x}}}{{x}}{{>p}}';
    const one = compileTemplate(text, 'mustache', { cache, registry: new Map([['p', '1']]) });
    const other = compileTemplate(text, 'mustache', { cache, registry: new Map([['p', '2']]), escape: false });
    expect([one, other].map((template) => template.render({ x: '<' }).text)).toEqual(['<&lt;1', '<<2']);
    expect(() => compileTemplate(text, 'jinja2', { cache })).toThrow('Expected :');
  });

  test('forgets what was not used for longest when it has too many entries or units', () => {
    const cache = createTemplateCache({ entries: 2, units: 10 });
    const get = (text: string) =>
      cache.get({ text, variant: 'v', registry: undefined }, () => ({
        ...compileTemplate('x', 'jinja2'),
        units: text.length,
      }));
    const [first, second] = [get('a'), get('b')];
    expect(get('a')).toBe(first);
    get('c');
    expect(get('a')).toBe(first);
    expect(get('b')).not.toBe(second);
    get('x'.repeat(10));
    expect(get('a')).not.toBe(first);
    expect(get('y'.repeat(11))).not.toBe(get('y'.repeat(11)));
  });
});
