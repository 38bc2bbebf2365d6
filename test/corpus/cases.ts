import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import type { ItemKind } from '../../src/core/item.ts';
import { type Expectation, parseExpectation } from './expectation.ts';
import { followRecipe, parseRecipe, type Recipe } from './recipe.ts';

/** A file of the corpus and what must come of it. */
export type Case = {
  readonly name: string;
  readonly kind: ItemKind;
  /** Id of the item, `corpus/<name>`. */
  readonly id: string;
  readonly extension: string;
  readonly place: Recipe['place'];
  readonly expected: Expectation;
  /** The file's content, made anew each time. */
  readonly bytes: () => Buffer;
};

const EXPECTED = '.expected.yaml';
const RECIPE = '.recipe.yaml';
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** The cases of a folder by name; each is `NAME.EXTENSION` or `NAME.recipe.yaml`, beside `NAME.expected.yaml`. */
export function readCases(folder: string, kind?: ItemKind): readonly Case[] {
  const files = readdirSync(folder);
  return files
    .filter((file) => file.endsWith(EXPECTED))
    .map((file) => {
      const name = basename(file, EXPECTED);
      const expected = parseExpectation(readFileSync(join(folder, file), 'utf8'), file);
      const caseKind = expected.kind ?? kind;
      if (caseKind === undefined) throw new Error(`${file}: no kind`);
      const source = readSource(folder, sourceOf(name, files));
      const bytes = (): Buffer => disguise(source.bytes(), expected.as);
      return { name, kind: caseKind, id: `corpus/${name}`, ...source, expected, bytes };
    });
}

/** Files that belong to no case. */
export function strayFiles(folder: string): readonly string[] {
  const files = readdirSync(folder);
  const used = files.filter((file) => file.endsWith(EXPECTED)).map((file) => basename(file, EXPECTED));
  const known = new Set(used.flatMap((name) => [name + EXPECTED, sourceOf(name, files)]));
  return files.filter((file) => !known.has(file));
}

function sourceOf(name: string, files: readonly string[]): string {
  const found = files.filter((file) => {
    if (file === name + RECIPE) return true;
    return file !== name + EXPECTED && basename(file, extname(file)) === name;
  });
  const [source] = found;
  if (source === undefined || found.length > 1) throw new Error(`${name}: ${found.length} sources`);
  return source;
}

function readSource(folder: string, file: string): Pick<Case, 'extension' | 'place' | 'bytes'> {
  const path = join(folder, file);
  if (!file.endsWith(RECIPE)) return { extension: extname(file), place: 'file', bytes: () => readFileSync(path) };
  const recipe = parseRecipe(readFileSync(path, 'utf8'), file);
  return { extension: recipe.extension, place: recipe.place, bytes: () => followRecipe(recipe) };
}

function disguise(bytes: Buffer, { bom = false, line_ends }: NonNullable<Expectation['as']> = {}): Buffer {
  const text = bytes.toString('utf8');
  const lined = line_ends === 'crlf' ? Buffer.from(text.replaceAll('\n', '\r\n')) : bytes;
  return bom ? Buffer.concat([BOM, lined]) : lined;
}
