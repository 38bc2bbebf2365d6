import { describe, expect, test } from 'vitest';
import { createPrompty, ValueError } from '../../prompty.ts';
import { ATTACKS } from './engine/fixtures/attacks.ts';
import { RICH_INPUT_ATTACKS } from './engine/fixtures/rich-input-attacks.ts';
import { MAX_MS, timed, type Outcome } from './engine/fixtures/timed.ts';
import { agentOf } from './fixtures/agent.ts';

describe('A hostile template, rendered with an image among its inputs', () => {
  test.each(ATTACKS.map((attack) => [attack[0], attack[1], attack] as const))(
    'with %s in %s ends at once when it is met first, also where messages are made of it',
    (_, __, attack) => {
      const [, format, template, expected, inputs = {}, registry = {}] = attack;
      const templates = new Map(Object.entries(registry));
      const agent = agentOf(template, [{ name: 'photo', kind: 'image' }], format);
      const given = { ...inputs, photo: 'https://host.test/a.png' };
      // A new one each time: what an instance has compiled it keeps.
      const rendered = timed(() => createPrompty({ templates }).render(agent, given));
      const prepared = timed(() => createPrompty({ templates }).prepare(agent, given));
      expect(codeOf(rendered) ?? `text:${rendered.result}`).toBe(expected);
      expect(codeOf(prepared)).toBe(codeOf(rendered));
      expect(Math.max(rendered.ms, prepared.ms)).toBeLessThan(MAX_MS);
    },
  );
});

test.each(RICH_INPUT_ATTACKS)(
  'A template with 2,000 images among its inputs ends at once: %s',
  (template, expected) => {
    const names = Array.from({ length: 2000 }, (_, at) => `i${at}`);
    const agent = agentOf(
      template,
      names.map((name) => ({ name, kind: 'image' })),
    );
    const given = Object.fromEntries(names.map((name) => [name, 'SUQzBAA=']));
    const rendered = timed(() => createPrompty().render(agent, given));
    expect(codeOf(rendered) ?? `text:${rendered.result}`).toBe(expected);
    expect(rendered.ms).toBeLessThan(MAX_MS);
  },
);

function codeOf({ error }: Outcome<unknown>): unknown {
  return error instanceof ValueError ? error.code : error;
}
