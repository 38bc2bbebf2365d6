import { describe, expect, test } from 'vitest';
import { ATTACKS } from './fixtures/attacks.ts';
import { MAX_MS, timed } from './fixtures/timed.ts';
import { compileTemplate } from './template.ts';
import { ValueError } from './value-error.ts';

describe('A hostile template', () => {
  test.each(ATTACKS.map((attack) => [attack[0], attack[1], attack] as const))(
    'with %s in %s ends at once, when it is met first',
    (_, __, attack) => {
      const [, format, template, expected, inputs = {}, registry = {}] = attack;
      const templates = new Map(Object.entries(registry));
      const render = (): string => compileTemplate(template, format, { registry: templates }).render(inputs).text;
      const { result, error, ms } = timed(render);
      expect(error instanceof ValueError ? error.code : (error ?? `text:${result}`)).toBe(expected);
      expect(ms).toBeLessThan(MAX_MS);
    },
  );
});
