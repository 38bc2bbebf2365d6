import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compileTemplate, type TemplateFormat } from './template.ts';

type Case = {
  readonly name: string;
  readonly template: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly registry?: Readonly<Record<string, string>>;
  readonly expected: string;
};

const FILES: readonly (readonly [TemplateFormat, string, number])[] = [
  ['jinja2', 'jinja2.json', 160],
  ['jinja2', 'jinja2-by-hand.json', 20],
  ['mustache', 'mustache.json', 100],
  ['mustache', 'mustache-by-hand.json', 6],
];

describe.each(FILES)('%s: %s', (format, file, atLeast) => {
  const cases = readCases(file);

  test(`has at least ${atLeast} cases`, () => {
    expect(cases.length).toBeGreaterThanOrEqual(atLeast);
  });

  test.each(cases)('$name', ({ template, inputs, registry, expected }) => {
    const compiled = compileTemplate(template, format, { registry: new Map(Object.entries(registry ?? {})) });
    expect(compiled.render(inputs).text).toBe(expected);
    // Nothing is left behind by a rendering.
    expect(compiled.render(inputs, { spans: false })).toEqual({ text: expected, inputSpans: [] });
  });
});

function readCases(file: string): readonly Case[] {
  const url = new URL(`../../../../test/corpus/prompty/${file}`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')) as readonly Case[];
}
