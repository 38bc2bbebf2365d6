import { describe, expect, test } from 'vitest';
import { parseText } from '../fixtures/parse-text.ts';

const read = (source: string) =>
  parseText('knowledge', source, { id: 'rye/core/Identity', file: 'k.md', space: 'system' });
const parse = (source: string) => read(source).value;
const SIGNED = '<!-- rye:signed:2026-02-24T04:54:45Z:aa:bb==:cc -->\n<!-- rye:unsigned -->\n';

describe('knowledge', () => {
  test.each([
    ['dashes', '---\nname: Id\ntitle: An Id\n---\n\n# Text\n\nBody\n'],
    ['a yaml block', '```yaml\nname: Id\ntitle: An Id\n```\n\n# Text\n\nBody\n'],
    ['signature lines before it', `${SIGNED}\n\`\`\`yaml\nname: Id\ntitle: An Id\n\`\`\`\n# Text\n\nBody\n`],
    ['signature lines after it', `---\nname: Id\ntitle: An Id\n---\n# Text\n\nBody\n${SIGNED}`],
    [
      'signature lines after it, a fence in it',
      `--- # note\nname: Id\ntitle: An Id\nnote: |\n  \`\`\`\n---\n${SIGNED}# Text\n\nBody\n`,
    ],
    ['a line separator in it', `---\nname: Id\ntitle: An Id\nnote: "\u2028---\u2028"\n---\n# Text\n\nBody\n`],
    ['CRLF', '---\r\nname: Id\r\ntitle: "An Id"\r\n---\r\n# Text\n\nBody\n'],
  ])('with front matter in %s is read', (_, source) => {
    expect(parse(source)).toEqual({
      id: 'rye/core/Identity',
      name: 'Id',
      title: 'An Id',
      file: 'k.md',
      space: 'system',
      content: '# Text\n\nBody',
    });
  });

  test.each([
    ['nothing', '', ''],
    ['text only', 'Hello\n---\nmore', 'Hello\n---\nmore'],
    ['a yaml example first', '```yaml\nport: 80\n```\ntext', '```yaml\nport: 80\n```\ntext'],
    ['a code block first', '```js\nname: x\n```\ntext', '```js\nname: x\n```\ntext'],
    ['a rule without a second one', '---\ntext', '---\ntext'],
    ['what a line says beside a mark', '<!-- rye:unsigned --> x <!-- y -->', '<!-- rye:unsigned --> x <!-- y -->'],
    ['no mark in another spelling', '<!--rye:unsigned-->\nx', 'x'],
    ['a signature in a code block', '```\n<!-- rye:signed:a -->\n```', '```\n<!-- rye:signed:a -->\n```'],
    ['empty front matter', '---\n---\ntext', 'text'],
  ])('with %s takes its name from the id', (_, source, content) => {
    expect(parse(source)).toMatchObject({ name: 'Identity', title: 'Identity', content });
  });

  test.each([
    ['a repeated key', 'a: 1\na: 2', 'twice'],
    ['an alias', 'a: &x 1\nb: *x', ''],
    ['a merge', 'a: &x {b: 1}\nc:\n  <<: *x', ''],
    ['a tag', 'a: !js/function x', ''],
    ['a list', '- a', 'no mapping'],
    ['text', 'hello', 'no mapping'],
    ['broken YAML', 'a: [1', ''],
    ['__proto__', '__proto__: 1', '__proto__'],
    ['two documents', 'a: 1\n...\nb: 2', ''],
  ])('with %s in its front matter is refused', (_, yaml, reason) => {
    expect(() => parse(`---\n${yaml}\n---\ntext`)).toThrow(
      expect.objectContaining({
        code: 'invalid_item',
        message: expect.stringContaining(reason),
        where: { file: 'k.md', line: expect.any(Number) },
      }),
    );
  });

  test('in a yaml block is refused when it is broken: it is no example', () => {
    const source = '```yaml\nname: a\ntags: [b\n```\ntext';
    expect(() => parse(source)).toThrow(expect.objectContaining({ code: 'invalid_item' }));
  });

  test('with more than 256 KiB of front matter is refused', () => {
    const source = '---\ntitle: ' + 'x'.repeat(256 * 1024) + '\n---\n';
    expect(() => parse(source)).toThrow(expect.objectContaining({ code: 'item_too_large' }));
  });

  test('an error names the line of the file', () => {
    expect(() => parse(`${SIGNED}---\nname: a\nbad: [\n---\n`)).toThrow(
      expect.objectContaining({
        where: { file: 'k.md', line: expect.toSatisfy((line: number) => line === 5 || line === 6) },
      }),
    );
  });
});
