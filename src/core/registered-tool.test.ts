import { describe, expect, test } from 'vitest';
import { checkRegisteredTool } from './registered-tool.ts';

const TOOL = { id: 'app/price', description: 'Tells a price', input: {}, run: () => 1 };

class PriceTool {
  readonly id = 'app/price';
  readonly description = 'Tells a price';
  readonly input = {};
  #price = 1;
  run(): number {
    return this.#price;
  }
}

describe('A tool that is registered', () => {
  test.each([
    TOOL,
    { ...TOOL, inputSchema: {}, idempotent: true },
    { ...TOOL, idempotent: undefined },
    new PriceTool(),
  ])('is taken: %o', (tool) => {
    expect(() => checkRegisteredTool(tool, 'here')).not.toThrow();
  });

  test.each<[string, unknown, string]>([
    [
      'a misspelt name',
      { ...TOOL, idempotant: true },
      'here (app/price): there is no "idempotant"; a tool has id, desc',
    ],
    ['two names that mean nothing', { ...TOOL, name: 'x', schema: {} }, 'there is no "name", "schema"'],
    ['a name of every object', JSON.parse('{"__proto__": 1}'), 'there is no "__proto__"'],
    ...[
      '',
      '../x',
      'a/./b',
      'a/..',
      '/a',
      'a/',
      'a//b',
      'a b',
      'a\n',
      `a/${'b'.repeat(201)}`,
      'abc/'.repeat(150) + 'd',
    ].map((id): [string, unknown, string] => [
      `the id ${JSON.stringify(id.slice(0, 20))}`,
      { ...TOOL, id },
      'here: `id` must be a slash path',
    ]),
    ['no input', { ...TOOL, input: undefined }, '`input` must be a schema'],
    ['no id', { ...TOOL, id: undefined }, '`id` must be a text'],
    ['a description that is none', { ...TOOL, description: 1 }, '`description` must be a text'],
    ['a flag that is none', { ...TOOL, idempotent: 'yes' }, '`idempotent` must be true or false'],
    ['a schema that is none', { ...TOOL, inputSchema: 'x' }, '`inputSchema` must be a JSON Schema'],
    ['nothing to run', { ...TOOL, run: 'x' }, '`run` must be a function'],
    ['two things wrong', { ...TOOL, description: 1, run: 1 }, '`description` must be a text; `run` must be'],
    ['nothing of a tool', null, 'here: a tool must be an object'],
    ['a list', [TOOL], 'here: a tool must be an object'],
  ])('is refused with %s', (_name, tool, message) => {
    expect(() => checkRegisteredTool(tool, 'here')).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining(message) }),
    );
  });
});
