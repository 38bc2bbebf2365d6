import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TextToolScanner } from './text-tools-scanner.ts';

type Found = { text: string; blocks: string[]; open: number; pieces: string[] };

/** Scans an answer that comes in these pieces; those of a string are its characters. */
function scan(pieces: Iterable<string>): Found {
  const found: Found = { text: '', blocks: [], open: 0, pieces: [] };
  const scanner = new TextToolScanner({
    text(piece) {
      found.text += piece;
      found.pieces.push(piece);
    },
    block({ body, isClosed }) {
      found.blocks.push(body.trim());
      if (!isClosed) found.open++;
    },
  });
  for (const piece of pieces) scanner.push(piece);
  scanner.finish();
  return found;
}

const lines = (...all: readonly string[]): string => all.join('\n');
const FENCED = ['```tool_call', '{"name":"a"}', '```'];

describe('A tool call in a text', () => {
  test.each<[string, string, string, string[]]>([
    ['in a fence', lines(...FENCED), '', ['{"name":"a"}']],
    ['in a tag', '<tool_call>{"name":"a"}</tool_call>', '', ['{"name":"a"}']],
    ['in a tag of several lines', lines('<tool_call>', '{"name":"a"}', '</tool_call>'), '', ['{"name":"a"}']],
    ['between prose', lines('I look.', ...FENCED, 'Wait.'), 'I look.\nWait.', ['{"name":"a"}']],
    ['with Windows line ends', 'Hm.\r\n```tool_call\r\n{}\r\n```\r\n', 'Hm.\r\n', ['{}']],
    ['on the line of its fence', lines('```tool_call {"name":"a"}', '```'), '', ['{"name":"a"}']],
    ['in several lines', lines('```tool_call', '{', '"name":"a"', '}', '```'), '', ['{\n"name":"a"\n}']],
    ['after another', lines(...FENCED, ...FENCED, ''), '', ['{"name":"a"}', '{"name":"a"}']],
    ['on the line of another', '<tool_call>1</tool_call> <tool_call>2</tool_call>\n', '', ['1', '2']],
    ['before text on its line', '<tool_call>1</tool_call> it is.\n', ' it is.\n', ['1']],
    ['with its end in a string', '<tool_call>{"a":"\\"</tool_call>"}</tool_call>', '', ['{"a":"\\"</tool_call>"}']],
    ['with a fence in a string', lines('```tool_call', '{"a":"```\\n```"}', '```'), '', ['{"a":"```\\n```"}']],
    ['whose string has no end', lines('<tool_call>{"a":"', '</tool_call>', 'Hm.'), 'Hm.', ['{"a":"']],
    ['after a code block', lines('```sh', 'ls', '```', ...FENCED), '```sh\nls\n```\n', ['{"name":"a"}']],
    ['after code that only looks like a fence', lines('```a```', ...FENCED), '```a```\n', ['{"name":"a"}']],
  ])('%s, is found', (_title, answer, text, blocks) => {
    const found = scan([answer]);
    expect([found.text, found.blocks, found.open]).toEqual([text, blocks, 0]);
    expect(scan(answer)).toMatchObject({ text, blocks, open: 0 });
  });

  test.each<[string, string]>([
    ['in a code fence of another kind', lines('```json', '{"name":"a"}', '```')],
    ['in a longer fence', lines('````', ...FENCED, '````', 'That is how.')],
    ['in a fence of the same length', lines('```markdown', '```tool_call', '{"name":"a"}', '```')],
    ['in a fence of tildes', lines('~~~', ...FENCED, '<tool_call>{}</tool_call>', '~~~')],
    ['in a fence that is not closed', lines('```', '<tool_call>{"name":"a"}</tool_call>')],
    ['in a fence that a shorter one does not close', lines('````', '```', ...FENCED, '````')],
    ['in the middle of a line', 'Write <tool_call>{"name":"a"}</tool_call> or ```tool_call'],
    ['that is indented', lines('  ```tool_call', '  {"name":"a"}', '  ```')],
    ['of another name', lines('```tool_calls', '{}', '```')],
    ['whose tag is not whole', '<tool_cal'],
    ['whose fence is not whole', lines('', '```tool_')],
  ])('%s, is text', (_title, answer) => {
    expect(scan([answer])).toMatchObject({ text: answer, blocks: [], open: 0 });
    expect(scan(answer)).toMatchObject({ text: answer, blocks: [], open: 0 });
  });

  test.each<[string, string]>([
    ['```tool_call', ''],
    ['```tool_call\n{"name":"a"}', '{"name":"a"}'],
    ['<tool_call>{"name":"a"}', '{"name":"a"}'],
    ['<tool_call>', ''],
  ])('that is not closed, is told as such: %j', (answer, body) => {
    expect(scan([answer])).toMatchObject({ text: '', blocks: [body], open: 1 });
  });
});

test.each<[string, string]>([
  ['```tool_call\n{"name": "a",\n "inp', '```tool_call\n{"name": "a",\n "inp'],
  ['Hm.\n<tool_call>{"name"', 'Hm.\n<tool_call>{"name"'],
  ['Hm.\n```too', 'Hm.\n```too'],
  ['Hm. So', 'Hm. So'],
  ['', ''],
  ['<tool_call>1</tool_call> <tool_call>2\n3', '<tool_call>2\n3'],
])('An answer that breaks off, %j, is text but for whole calls', (answer, text) => {
  for (const pieces of [[answer], answer]) {
    let heard = '';
    const scanner = new TextToolScanner({ text: (piece) => void (heard += piece), block: () => undefined });
    for (const piece of pieces) scanner.push(piece);
    scanner.breakOff();
    expect(heard).toBe(text);
  }
});

describe('A text with tool calls', () => {
  test('is passed on as it comes, but for what may begin a call', () => {
    expect(scan(['Hel', 'lo\n', '<', 'b>', 'bold\n``', '`py', 't\n', '```', '\n<tool', '_call>1']).pieces).toEqual([
      'Hel',
      'lo\n',
      '<b>',
      'bold\n',
      '```py',
      't\n',
      '```',
      '\n',
    ]);
  });

  const unit = fc.oneof(
    fc.constantFrom('a', ' ', '"', '\\', '`', '```', '~~~', '{', '}', '\n', '\r\n', '🌍', '<'),
    fc.constantFrom('<tool_call>', '</tool_call>', '```tool_call', '\n```tool_call\n', '\n```\n', '{"name":"a"}'),
  );

  test('is read alike however it is cut', () => {
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 30 }), fc.array(fc.nat(), { maxLength: 10 }), (units, cuts) => {
        const answer = units.join('');
        const places = cuts.map((cut) => cut % (answer.length + 1)).toSorted((a, b) => a - b);
        const pieces = [0, ...places].map((place, at) => answer.slice(place, places[at]));
        const { pieces: _, ...whole } = scan([answer]);
        expect(scan(pieces)).toMatchObject(whole);
        expect(scan(answer)).toMatchObject(whole);
      }),
      { numRuns: 1000 },
    );
  });

  test('is all there in texts and blocks, but for line breaks and space after blocks', () => {
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 30 }), (units) => {
        const answer = units.join('');
        let heard = '';
        const scanner = new TextToolScanner({
          text: (piece) => void (heard += piece),
          block: ({ written }) => void (heard += written),
        });
        scanner.push(answer);
        scanner.finish();
        const bare = (text: string): string => text.replaceAll(/\s/g, '');
        expect(bare(heard)).toBe(bare(answer));
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ['one long line', 'x'.repeat(2_000_000), 0],
    ['a long call', `<tool_call>${'{"a":"'.repeat(300_000)}`, 1],
    ['many calls on one line', '<tool_call>1</tool_call>'.repeat(80_000), 80_000],
    ['many back-ticks', `${'`'.repeat(1_000_000)}x\``, 0],
  ])('is read in linear time: %s', (_title, answer, blocks) => {
    const pieces = Array.from({ length: Math.ceil(answer.length / 8) }, (_, at) => answer.slice(at * 8, at * 8 + 8));
    expect(scan(pieces).blocks).toHaveLength(blocks);
  });
});
