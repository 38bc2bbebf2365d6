import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DeclaredOutput } from '../core/item.ts';
import { cleanPreamble } from '../items/prose.ts';
import { readDirective } from '../items/read-directive.ts';
import { DIRECTIVE_INSTRUCTION } from './directive-instruction.ts';
import { compileDirectivePrompt, type PromptParts } from './directive-prompt.ts';

/** Puts a text where `{}` stands. */
const compile = (parts: PromptParts) =>
  compileDirectivePrompt<string>(parts, (text) =>
    text.includes('{}') ? (put) => text.replaceAll('{}', put) : undefined,
  );
const render = (parts: Partial<PromptParts>, instruction = 'GO'): string =>
  compile({ name: '', description: '', preamble: '', body: '', outputs: [], ...parts })({ instruction });
const output = (name: string, description = ''): DeclaredOutput => ({
  name,
  description,
  type: 'string',
  required: true,
});

describe('the directive prompt', () => {
  test('has all parts in order, a blank line apart', () => {
    const prompt = render({
      name: 'deploy',
      description: 'Deploys',
      preamble: '\nTo staging.\n',
      body: '\n<process>go</process>\n',
      outputs: [output('url', 'The address'), output('count')],
    });
    expect(prompt).toBe(
      'GO\n\n<directive name="deploy">\n<description>Deploys</description>\n\nTo staging.\n\n<process>go</process>\n\n' +
        'When you have completed all steps, return structured results:\n' +
        '`rye_execute(item_type="tool", item_id="rye/agent/threads/directive_return", ' +
        'parameters={"url": "<The address>", "count": "<count>"})`\n\n</directive>',
    );
  });

  test.each<[string, Partial<PromptParts>, string]>([
    ['a name alone', { name: 'n' }, 'GO\n\n<directive name="n">\n\n</directive>'],
    ['a description alone', { description: 'd' }, 'GO\n\n<directive>\n<description>d</description>\n\n</directive>'],
    ['neither', { body: 'b' }, 'GO\n\nb'],
    ['nothing at all', {}, 'GO'],
    ['outputs without names', { body: 'b', outputs: [output('')] }, 'GO\n\nb'],
    ['a preamble of blanks', { preamble: ' \n\n', body: 'b' }, 'GO\n\nb'],
    ['a body that looks like a heading', { body: '# Step <1> & "2"' }, 'GO\n\n# Step <1> & "2"'],
  ])('with %s is rendered', (_, parts, expected) => {
    expect(render(parts)).toBe(expected);
  });

  test('name and description can not leave their tag', () => {
    const text = '"><b>&amp;';
    const safe = '&quot;&gt;&lt;b&gt;&amp;amp;';
    expect(render({ name: text, description: text })).toBe(
      `GO\n\n<directive name="${safe}">\n<description>${safe}</description>\n\n</directive>`,
    );
  });

  test('what is filled into name and description can not leave their tag; what is filled in elsewhere stands as it is', () => {
    const parts = { name: '{}', description: '<{}', preamble: '{}', body: '{}', outputs: [output('o', '{}')] };
    const safe = '&quot;&gt;&lt;/b&gt;';
    const filled = compile(parts)({ instruction: '', values: '"></b>' });
    expect(filled.split('\n\n')).toEqual([
      `<directive name="${safe}">\n<description>&lt;${safe}</description>`,
      '"></b>',
      '"></b>',
      expect.stringContaining('{"o": "<"></b>>"}'),
      '</directive>',
    ]);
  });

  test('an output described on several lines is asked for on one', () => {
    expect(render({ outputs: [output('o', '\n  The address,\r\n  as it is.\n'), output('p', ' \n')] })).toContain(
      'parameters={"o": "<The address, as it is.>", "p": "<p>"}',
    );
  });

  test('it is on one line also when a text of several is filled into its description, or nothing is', () => {
    const parts = {
      name: '',
      description: '',
      preamble: '',
      body: '',
      outputs: [output('o', 'At {} now'), output('p', '{}')],
    };
    const filled = (values: string) => compile(parts)({ instruction: '', values });
    expect(filled(' one\n\ntwo\n')).toContain('parameters={"o": "<At one two now>", "p": "<one two>"}');
    expect(filled('')).toContain('parameters={"o": "<At now>", "p": "<p>"}');
  });

  test('a description that is no template is shown as it is', () => {
    const outputs = [output('o', 'At {}'), { ...output('p', 'At {}'), isLiteral: true }];
    const parts = { name: '', description: '', preamble: '', body: '', outputs };
    expect(compile(parts)({ instruction: '', values: 'X' })).toContain('parameters={"o": "<At X>", "p": "<At {}>"}');
  });

  test.each([
    ['alone', [], 'parameters={...})`'],
    ['beside what has a name', [output('o')], 'parameters={"o": "<o>", ...})`'],
  ])('outputs that the definition of the tool describes are asked for, %s', (_name, outputs, call) => {
    const prompt = render({ outputs, hasMoreOutputs: true });
    expect(prompt).toContain(
      `${call}\nThe definition of the tool \`rye_agent_threads_directive_return\` says what belongs into the parameters.`,
    );
  });

  test('an empty instruction leaves that part out, none brings the own one', () => {
    expect(render({ body: 'b' }, '')).toBe('b');
    const parts = { name: '', description: '', preamble: '', body: 'b', outputs: [] };
    expect(compile(parts)()).toBe(`${DIRECTIVE_INSTRUCTION}\n\nb`);
  });
});

describe('Every directive', () => {
  const signature = fc.constantFrom(
    '<!-- rye:signed:2026-01-01T00:00:00Z:abc:def:0123456789abcdef -->',
    '  <!-- rye:unsigned -->',
    '<!-- rye:signed: -->\r',
  );
  const line = fc.oneof(signature, fc.constantFrom('# Title', 'Text.', '', '## Part', '- item'), fc.string());
  const lines = fc.array(line, { maxLength: 8 }).map((all) => all.join('\n'));
  const XML =
    '```xml\n<directive name="n" version="1"><metadata><description>d</description></metadata></directive>\n```';

  test('is rendered the same each time, and never with a signature line', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const text = `${before}\n\n${XML}\n\n${after}`;
        const file = { id: 'n', file: 'n.md', known: new Set<string>() };
        const read = (): string => {
          const { directive } = readDirective(text, file);
          return compile({ ...directive, preamble: cleanPreamble(directive.preamble) })();
        };
        const prompt = read();
        expect(prompt.split('\n').filter((each) => /^\s*<!-- rye:(?:un)?signed/.test(each))).toEqual([]);
        expect(read()).toBe(prompt);
      }),
    );
  });
});
