import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
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
  parse = parseOnce(counting);
  put('one');
});
afterEach(() => rmSync(root, { recursive: true }));

const counting: Pick<ParserRouter, 'parse'> = {
  parse: (item) => {
    parsed.push(item.id);
    return shippedRouter.parse(item);
  },
};
const put = (description: string, id = 't'): void =>
  writeFileSync(join(root, `tools/${id}.yaml`), `description: ${description}\n`);
const read = (id = 't'): ReadItem & { readonly kind: 'tool' } => ({ ...spaces.read('tool', id), kind: 'tool' });

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

test('of more files than may be kept the oldest is parsed again', () => {
  parse = parseOnce(counting, 2);
  for (const id of ['u', 'v']) put('one', id);
  for (const id of ['t', 'u', 'v', 'v', 'u', 't']) parse(read(id));
  expect(parsed).toEqual(['t', 'u', 'v', 't']);
});

test('a file is free to go when it is parsed', async () => {
  setFlagsFromString('--expose-gc');
  // A context that is made after the flag has what the flag adds.
  const collect = runInNewContext('gc') as () => void;
  const item = parseOne();
  // A weak reference holds on to what it names until the job that made it is over.
  await new Promise(setImmediate);
  collect();
  expect(item.deref()).toBeUndefined();
  parse(read());
  expect(parsed).toEqual(['t']);
});

/** In a function of its own: nothing of its frame is left when it has returned. */
function parseOne(): WeakRef<ReadItem> {
  const item = read();
  parse(item);
  return new WeakRef(item);
}
