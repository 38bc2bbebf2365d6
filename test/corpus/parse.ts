import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../src/config/load.ts';
import type { ItemKind } from '../../src/core/item.ts';
import { createParserRouter } from '../../src/items/parser-router.ts';
import { createSpaces, ITEM_FOLDERS } from '../../src/items/spaces.ts';
import type { Case } from './cases.ts';

/** What came of a file: the item's own fields, what the extractor made of them, and the warnings. */
export type Parsed = {
  readonly item: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
};

/** A project for one test, with a folder around it that its spaces do not reach. Removed at the end. */
export interface CorpusProject extends Disposable {
  /** The folder around the project. */
  readonly outside: string;
  /** Puts a case's file where its id says. */
  place(one: Case): void;
  /** Finds, reads and parses the item as a thread would; nothing is kept between calls. */
  parse(kind: ItemKind, id: string): Parsed;
}

/** A project that has the extractors that ship. */
export function createCorpusProject(): CorpusProject {
  const outside = realpathSync(mkdtempSync(join(tmpdir(), 'skein-corpus-')));
  const projectPath = join(outside, 'project');
  const systemDir = fileURLToPath(new URL('../../config', import.meta.url));
  const router = createParserRouter(loadConfig({ systemDir }).config.extractors);
  return {
    outside,
    place(one) {
      const file = join(projectPath, '.ai', ITEM_FOLDERS[one.kind], one.id + one.extension);
      mkdirSync(dirname(file), { recursive: true });
      const target = one.place === 'link' ? join(outside, `outside${one.extension}`) : file;
      if (one.place === 'folder') mkdirSync(file);
      else writeFileSync(target, one.bytes());
      if (one.place === 'link') symlinkSync(target, file);
    },
    parse(kind, id) {
      const { value, fields, warnings, ...parts } = router.parse(createSpaces({ projectPath }, router).read(kind, id));
      return { item: { ...parts, ...value }, fields, warnings };
    },
    [Symbol.dispose]: () => rmSync(outside, { recursive: true, force: true }),
  };
}
