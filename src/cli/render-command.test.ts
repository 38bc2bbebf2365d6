import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandIn } from './fixtures/command-in.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'skein-render-'));
  mkdirSync(join(root, 'project'));
  writeFileSync(join(root, 'project', 'a.png'), Buffer.from('iVBORw0KGgo=', 'base64'));
  writeFileSync(
    join(root, 'project', 'ask.prompty'),
    `---
inputs:
  n: { kind: integer, default: 1 }
  list: { kind: array }
  photo: { kind: image }
  past: { kind: thread }
  who: { kind: string, required: true }
---
Be brief.
{{ past }}
user[name="Ada"]:
{{ who }} {{ n + 1 }} {% for x in list %}{{ x }};{% endfor %}{{ photo }}
`,
  );
});
afterAll(() => rmSync(root, { recursive: true }));

test('the text is printed, inputs being what their kinds say', async () => {
  const args = ['render', 'ask.prompty', '--input', 'who=I', '--input', 'n=41', '--input', 'list=["a","b"]'];
  const text = 'Be brief.\n\nuser[name="Ada"]:\nI 42 a;b;';
  expect(await commandIn(root, args)).toEqual({ code: 0, out: `${text}\n`, err: '' });
  const { out } = await commandIn(root, [...args, '--json']);
  expect(JSON.parse(out)).toEqual({ text });
});

test('the messages are printed, threads and images in their places', async () => {
  const past = JSON.stringify([{ role: 'assistant', content: 'Hm\u001b.' }]);
  const args = [
    'render',
    'ask.prompty',
    '--messages',
    '--input',
    'who=I',
    '--input',
    `past=${past}`,
    '--input',
    'photo=@a.png',
  ];
  const { out } = await commandIn(root, args);
  const parts = ['=== system ===', 'Be brief.', '', '=== assistant ===', 'Hm\\x1b.', '', '=== user name="Ada" ==='];
  expect(out).toBe(`${parts.join('\n')}\nI 2 [image a.png image/png iVBORw0KGgo=]\n`);
  const json: unknown = JSON.parse((await commandIn(root, [...args, '--json'])).out);
  expect(json).toMatchObject({
    messages: [
      { role: 'system' },
      { role: 'assistant' },
      {
        role: 'user',
        metadata: { name: 'Ada' },
        content: [
          { kind: 'text', value: 'I 2 ' },
          { kind: 'image', value: 'iVBORw0KGgo=', mediaType: 'image/png', name: 'a.png' },
        ],
      },
    ],
  });
});

test.each<[args: readonly string[], code: number, message: string]>([
  [[], 2, 'render takes one file'],
  [['a', 'b'], 2, 'render takes one file'],
  [['none.prompty'], 3, 'no such file'],
  [['ask.prompty'], 3, 'Required inputs are missing: who'],
  [['ask.prompty', '--input', 'n=x'], 2, 'a whole number is expected'],
  [['ask.prompty', '--input', 'photo=@none.png'], 2, 'none.png'],
  [['ask.prompty', '--input', 'who=I', '--input', 'photo=a b'], 3, 'neither a URL nor base64'],
])('render %j is refused with %d', async (args, code, message) => {
  const finished = await commandIn(root, ['render', ...args]);
  expect(finished).toMatchObject({ code, out: '' });
  expect(finished.err).toContain(message);
});
