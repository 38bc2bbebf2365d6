import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { linesOf, readRecording } from './read-recording.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-reading-'));
  file = join(folder, 'worker-0.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

const exchange = (at: number, said: string, begun?: number): string =>
  JSON.stringify({
    at,
    begun,
    request: { method: 'POST', path: '/x', body: { said } },
    response: { status: 200, headers: {}, pieces: [said] },
  });

test.each<[string, string, string[]]>([
  ['an end each', 'a\nbc\n', ['a', 'bc']],
  ['characters of several bytes', 'ä€🌍\nü\n', ['ä€🌍', 'ü']],
  ['ends of two characters', 'ä\r\nb\r\n', ['ä\r', 'b\r']],
  ['nothing in them', '\n\na\n', ['', '', 'a']],
  ['no end of the last one', 'ab\ncd', ['ab']],
  ['no end at all', 'ab', []],
  ['none', '', []],
])('The lines of a file are the same whatever the pieces it is read in: %s', (_title, text, lines) => {
  writeFileSync(file, text);
  const sizes = [1, 2, 3, 5, 100, undefined];
  expect(sizes.map((size) => [...linesOf(file, size)])).toEqual(sizes.map(() => lines));
});

test('A recording of many pieces is read whole, with ends of lines of either kind', () => {
  const said = Array.from({ length: 8 }, (_, at) => `${at} `.padEnd(300_001, 'ä🌍'));
  writeFileSync(file, said.map((text, at) => exchange(at, text) + (at % 2 ? '\r\n' : '\n')).join(''));
  expect(readRecording(folder).flatMap(({ response }) => response?.pieces ?? [])).toEqual(said);
});

test.each<[string, (number | undefined)[], string[]]>([
  ['by the stopwatch', [9, 8], ['b', 'a']],
  ['by the time of day where a file of before is among them', [undefined, 8], ['a', 'b']],
])('Exchanges are in order %s', (_title, begun, said) => {
  writeFileSync(file, ['a', 'b'].map((text, at) => `${exchange(100 + at, text, begun[at])}\n`).join(''));
  expect(readRecording(folder).flatMap(({ response }) => response?.pieces ?? [])).toEqual(said);
});

test('A last line counts as soon as it is whole', () => {
  const written = `${exchange(1, 'a')}\n${exchange(2, 'b')}`;
  const read = (text: string): number => {
    writeFileSync(file, text);
    return readRecording(file).length;
  };
  expect([read(written.slice(0, -1)), read(written), read(`${written}\n`)]).toEqual([1, 2, 2]);
});

test.each([
  ['a status that is none', { status: 99 }],
  ['a status before the answer', { status: 199 }],
  ['a name that no header has', { headers: { 'a b': 'c' } }],
  ['a value that no header has', { headers: { a: 'b\nc' } }],
])('A line with %s is none of a recording', (_title, edited) => {
  const entry = { at: 1, request: { method: 'POST', path: '/x', body: {} } };
  const response = { status: 200, headers: {}, pieces: [], ...edited };
  writeFileSync(file, `${JSON.stringify({ ...entry, response })}\n`);
  expect(() => readRecording(file)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
});

test('A line that is none of a recording is told by its number', () => {
  writeFileSync(file, `${exchange(1, 'a')}\n${exchange(2, 'b')}\nx\n`);
  expect(() => readRecording(file)).toThrow(
    expect.objectContaining({ code: 'invalid_argument', where: { file, line: 3 } }),
  );
});
