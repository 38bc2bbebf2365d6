import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { shippedRouter } from './fixtures/parse-text.ts';
import type { ParserRouter } from './parser-router.ts';
import { parseOnce } from './parse-once.ts';
import { createSpaces, type ReadItem, type Spaces } from './spaces.ts';

let root: string;
let spaces: Spaces;
let parsed: string[];
let parse: ParserRouter['parse'];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skein-parse-'));
  mkdirSync(join(root, 'tools'));
  const paths = { projectPath: join(root, 'none'), userSpace: undefined, systemSpace: root };
  spaces = createSpaces(paths, shippedRouter);
  parsed = [];
  parse = parseOnce({
    parse: (item) => {
      parsed.push(item.id);
      return shippedRouter.parse(item);
    },
  });
  put('one');
});
afterEach(() => rmSync(root, { recursive: true }));

const put = (description: string): void => writeFileSync(join(root, 'tools/t.yaml'), `description: ${description}\n`);
const read = (): ReadItem & { readonly kind: 'tool' } => ({ ...spaces.read('tool', 't'), kind: 'tool' });

test('a file that stays what it is is parsed once, and is an item of its own for each who asks', () => {
  const [first, second] = [parse(read()), parse(read())];
  expect(parsed).toEqual(['t']);
  expect(second).toEqual(first);
  expect(second.value).not.toBe(first.value);
});

test.each([
  ['its text has changed', () => put('two')],
  ['another file of its name is passed over', () => writeFileSync(join(root, 'tools/t.sh'), '')],
])('it is parsed again when %s', (_what, change) => {
  const first = parse(read());
  change();
  const second = parse(read());
  expect(parsed).toEqual(['t', 't']);
  expect(second).not.toEqual(first);
});
