import type { Failure } from '../../core/errors.ts';
import type { ItemKind, SpaceName } from '../../core/item.ts';
import type { FileStamp } from './file-stamp.ts';
import type { IndexEntry, IndexedDocument } from './index-entry.ts';
import type { Connection } from './index-schema.ts';
import { type ShownTexts, shownTexts } from './shown-texts.ts';
import { parseIndexed } from './sqlite-faults.ts';

/** What there is at most one item of. */
export type IndexKey = Pick<IndexEntry, 'kind' | 'id' | 'space'>;

/** What the index has about an item's file. */
export type StoredItem = FileStamp & {
  readonly number: number;
  readonly kind: ItemKind;
  readonly id: string;
  readonly space: SpaceName;
  readonly file: string;
  /** Whether an unchanged stamp means unchanged content; otherwise the content is looked at. */
  readonly settled: boolean;
  readonly hash: string | undefined;
  /** Why the item could not be read, if it could not. */
  readonly problem: Failure | undefined;
};

/** What was found out about an item's file. */
export type ItemFinding = {
  readonly entry: IndexEntry;
  readonly stamp: FileStamp;
  readonly settled: boolean;
  readonly hash: string | undefined;
  /** `same`: the content is what the index already has. */
  readonly content:
    | { readonly kind: 'same' }
    | { readonly kind: 'document'; readonly document: IndexedDocument }
    | { readonly kind: 'problem'; readonly problem: Failure };
};

/** The rows of an index. Synchronous; who changes them does so inside a transaction. */
export type IndexRows = {
  /** In the order of their numbers, beginning after one. */
  page(after: number, size: number): readonly StoredItem[];
  find(key: IndexKey): StoredItem | undefined;
  /** Greater than that of any item. */
  nextNumber(): number;
  /** `number` counts only if the item is new. */
  put(number: number, finding: ItemFinding): StoredItem | undefined;
  /** Notes that a file looks different, but is not. */
  restamp(finding: ItemFinding): StoredItem | undefined;
  remove(item: StoredItem): void;
};

/** Prepares the statements. */
export function createIndexRows(db: Connection): IndexRows {
  const page = db.prepare<[number, number], Row>(
    `SELECT ${STORED} FROM items WHERE number > ? ORDER BY number LIMIT ?`,
  );
  const find = db.prepare<[string, string, string], Row>(
    `SELECT ${STORED} FROM items WHERE kind = ? AND id = ? AND space = ?`,
  );
  const nextNumber = db.prepare<[], number>('SELECT coalesce(max(number), 0) + 1 FROM items').pluck();
  const upsert = db.prepare<[RowValues], Row>(UPSERT);
  const restamp = db.prepare<[RowValues], Row>(`UPDATE items SET ${assign(STAMP)} WHERE ${KEY} RETURNING ${STORED}`);
  const remove = db.prepare<[number]>('DELETE FROM items WHERE number = ?');
  const shade = db.prepare<[{ kind: string; id: string }]>(SHADE);
  const tags = prepareTags(db);
  return {
    page: (after, size) => page.all(after, size).map(toStored),
    find: ({ kind, id, space }) => storedOf(find.get(kind, id, space)),
    nextNumber: () => nextNumber.get() ?? 1,
    put(number, finding) {
      const { entry, content } = finding;
      const row = upsert.get({ number, ...valuesOf(finding) });
      if (row !== undefined) tags.replace(row.number, content.kind === 'document' ? content.document.tags : []);
      shade.run({ kind: entry.kind, id: entry.id });
      return storedOf(row);
    },
    restamp: (finding) => storedOf(restamp.get(valuesOf(finding))),
    remove({ number, kind, id }) {
      remove.run(number);
      tags.replace(number, []);
      shade.run({ kind, id });
    },
  };
}

function prepareTags(db: Connection): { replace(number: number, tags: readonly string[]): void } {
  const insert = db.prepare<[number, string]>('INSERT OR IGNORE INTO tags (item, tag) VALUES (?, ?)');
  const remove = db.prepare<[number]>('DELETE FROM tags WHERE item = ?');
  return {
    replace(number, tags) {
      remove.run(number);
      for (const tag of tags) insert.run(number, tag);
    },
  };
}

type Row = Omit<StoredItem, 'settled' | 'hash' | 'problem'> & {
  readonly settled: 0 | 1;
  readonly hash: string | null;
  readonly problem: string | null;
};

type RowValues = Readonly<Record<string, string | number | null>>;

const STORED = `number, kind, id, space, file, size, mtime_ms AS mtimeMs, ctime_ms AS ctimeMs, settled, hash, problem`;
const STAMP = ['file', 'size', 'mtime_ms', 'ctime_ms', 'settled', 'hash'];
const SHOWN = ['problem', 'name', 'title', 'description', 'category', 'tags'];
const KEY = 'kind = :kind AND id = :id AND space = :space';
const ALL = ['number', 'kind', 'id', 'space', ...STAMP, ...SHOWN];

const UPSERT = `INSERT INTO items (${ALL.join(', ')}) VALUES (${ALL.map((name) => `:${name}`).join(', ')})
  ON CONFLICT (kind, id, space) DO UPDATE SET ${assign([...STAMP, ...SHOWN])} RETURNING ${STORED}`;

/** Which space wins over another: an unreadable item shadows too, since it is the one that would be taken. */
const PRECEDENCE = (space: string): string => `CASE ${space} WHEN 'project' THEN 0 WHEN 'user' THEN 1 ELSE 2 END`;

const SHADE = `UPDATE items SET shadowed_by = (
    SELECT winner.space FROM items AS winner
    WHERE winner.kind = :kind AND winner.id = :id AND ${PRECEDENCE('winner.space')} < ${PRECEDENCE('items.space')}
    ORDER BY ${PRECEDENCE('winner.space')} LIMIT 1
  ) WHERE kind = :kind AND id = :id`;

function assign(names: readonly string[]): string {
  return names.map((name) => `${name} = :${name}`).join(', ');
}

function valuesOf({ entry, stamp, settled, hash, content }: ItemFinding): RowValues {
  const document = content.kind === 'document' ? content.document : undefined;
  const shown = shownTexts(document ?? NOTHING);
  return {
    kind: entry.kind,
    id: entry.id,
    space: entry.space,
    file: entry.file,
    size: stamp.size,
    mtime_ms: stamp.mtimeMs,
    ctime_ms: stamp.ctimeMs,
    settled: settled ? 1 : 0,
    hash: hash ?? null,
    problem: content.kind === 'problem' ? JSON.stringify(content.problem) : null,
    name: shown.name,
    title: shown.title,
    description: shown.description,
    category: document?.category ?? '',
    tags: JSON.stringify(shown.tags),
  };
}

const NOTHING: ShownTexts = { name: '', title: '', description: '', tags: [] };

function storedOf(row: Row | undefined): StoredItem | undefined {
  return row && toStored(row);
}

function toStored(row: Row): StoredItem {
  return {
    ...row,
    settled: row.settled === 1,
    hash: row.hash ?? undefined,
    // The index wrote it itself, in `valuesOf`.
    problem: row.problem === null ? undefined : (parseIndexed(row.problem) as Failure),
  };
}
