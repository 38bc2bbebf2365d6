import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../config/load.ts';
import { ITEM_KINDS } from '../core/item.ts';
import { PARSED_ITEMS_FILE, parsedItemsText, withParsedItems } from './parsed-items.ts';
import { createParserRouter } from './parser-router.ts';
import { createSpaces, type ReadItem } from './spaces.ts';

const shipped = fileURLToPath(new URL('../../config', import.meta.url));
const { extractors } = loadConfig({ systemDir: shipped }).config;
const router = createParserRouter(extractors);

/** A package of its own, as a build leaves it: the items, and what they are parsed to. */
function built() {
  const systemDir = mkdtempSync(join(tmpdir(), 'skein-items-'));
  onTestFinished(() => rmSync(systemDir, { recursive: true }));
  const systemSpace = join(systemDir, 'space');
  cpSync(join(shipped, 'space'), systemSpace, { recursive: true });
  const spaces = createSpaces({ projectPath: systemDir, systemSpace }, router);
  const items = (): ReadItem[] =>
    ITEM_KINDS.flatMap((kind) => spaces.list(kind).map((id) => spaces.read(kind, id, 'system')));
  const parsed = items().map((item) => ({ item, parsed: router.parse(item) }));
  const file = join(systemDir, PARSED_ITEMS_FILE);
  writeFileSync(file, parsedItemsText(parsed, extractors.system));
  const asked: string[] = [];
  const parse: typeof router.parse = (item) => {
    asked.push(item.id);
    return router.parse(item);
  };
  const reading = (by = extractors.system) => withParsedItems({ ...router, parse }, { systemDir, extractors: by });
  return { file, items, asked, reading };
}

describe('items that the build has parsed', () => {
  test('every item of the package is what the parsers make of it, and no parser is asked', () => {
    const { items, asked, reading } = built();
    const from = reading();
    expect(items().length).toBeGreaterThan(40);
    for (const item of items()) expect(from.parse(item)).toEqual(router.parse(item));
    expect(asked).toEqual([]);
  });

  test('who changes what it was given changes nothing for others', () => {
    const { items, reading } = built();
    const [item] = items();
    if (!item) throw new Error('there is no item');
    const again = reading();
    Object.assign(again.parse(item).fields, { name: 'changed' });
    expect(again.parse(item)).toEqual(router.parse(item));
  });

  test('a file that has changed is parsed, the others are not', () => {
    const { items, asked, reading } = built();
    const item = items().find(({ kind }) => kind === 'knowledge');
    appendFileSync(item?.stamp.file ?? '', '\nOne more line.\n');
    const texts = items().map((one) => reading().parse(one).text);
    expect(texts.filter((text) => text.includes('One more line.'))).toHaveLength(1);
    expect(asked).toHaveLength(1);
  });

  test.each([
    ['is not there', (file: string) => rmSync(file)],
    ['is cut off', (file: string) => writeFileSync(file, readFileSync(file, 'utf8').slice(0, 9_000))],
    ['has other words', (file: string) => writeFileSync(file, readFileSync(file, 'utf8').replace(/thread/g, 'bread'))],
    ['is empty', (file: string) => writeFileSync(file, '')],
    ['is no text', (file: string) => writeFileSync(file, Buffer.alloc(64, 255))],
  ])('a file of them that %s counts for nothing', (_, spoil) => {
    const { file, items, asked, reading } = built();
    spoil(file);
    const from = reading();
    for (const item of items()) expect(from.parse(item)).toEqual(router.parse(item));
    expect(asked).toHaveLength(items().length);
  });

  test('other extractors read for themselves', () => {
    const { items, asked, reading } = built();
    const { tool } = extractors.system;
    const other = { ...extractors.system, tool: { ...tool, fields: tool.fields.slice(1) } };
    const [item] = items();
    if (item) reading(other).parse(item);
    expect(asked).toHaveLength(1);
  });

  test('an item of a project is parsed, though it is the same text', () => {
    const { items, asked, reading } = built();
    const [item] = items();
    if (item) reading().parse({ ...item, space: 'project' });
    expect(asked).toHaveLength(1);
  });
});
