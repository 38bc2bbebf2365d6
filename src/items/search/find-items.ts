import type { ItemKind, SpaceName } from '../../core/item.ts';
import type { FieldColumn } from './field-columns.ts';
import { columnName, type Connection, type Statement } from './index-schema.ts';
import { createItemGate, gated, type ItemFilter } from './item-gate.ts';
import type { CompiledSearch } from './search-query.ts';
import { shownLine } from './shown-texts.ts';
import { makeSnippet, MAX_SNIPPET, wantedWords } from './snippet.ts';
import { parseIndexed } from './sqlite-faults.ts';

/** An item that was found. */
export type SearchHit = {
  readonly kind: ItemKind;
  readonly id: string;
  readonly space: SpaceName;
  /** At most 200 characters, as title and category; longer ones end in an ellipsis. */
  readonly name: string;
  readonly title: string;
  /** At most 400 characters. */
  readonly description: string;
  readonly category: string;
  /** The first 32, at most 200 characters each; more are one last `…`. */
  readonly tags: readonly string[];
  /** The higher the better, comparable within one result only; 0 if every item was asked for. */
  readonly score: number;
  /** A few words of the body around the hits, else its beginning, on one line; empty if every item was asked for. */
  readonly snippet: string;
  /** The space whose item of the same kind and id is taken instead. */
  readonly shadowedBy?: SpaceName;
};

/** Searches an index as it is, among the items that a filter lets through. Shadowed items come after all others. */
export type ItemFinder = (
  search: CompiledSearch,
  allows?: ItemFilter,
) => { readonly hits: readonly SearchHit[]; readonly total: number };

/** Characters of one body that are looked at for a snippet, and of all bodies of a search. */
const SNIPPET_SOURCE = 32 * 1024;
const SNIPPET_SOURCES = 512 * 1024;

/** Prepares the statements. */
export function createItemFinder(db: Connection, columns: readonly FieldColumn[]): ItemFinder {
  const gate = createItemGate(db);
  const ranked = prepareSelection(db, { score: rank(columns), from: MATCHING });
  const listed = prepareSelection(db, { score: '0.0', from: 'items AS i WHERE' });
  const snippets = prepareSnippets(db, columns);
  const countTexts = db.prepare<[CompiledSearch], number>(COUNT_TEXTS).pluck();
  // In one transaction, so that a snippet belongs to its hit.
  const select = (search: CompiledSearch): Selected => {
    const { match, limit } = search;
    const { all, count } = match === null ? listed : ranked;
    const rows = all.all(search);
    const counter = match === null || isFiltered(search) ? count : countTexts;
    return { rows, total: rows.length < limit ? rows.length : (counter.get(search) ?? rows.length) };
  };
  const selectAllowed = (search: CompiledSearch, allows: ItemFilter): Selected => {
    const { allowed } = search.match === null ? listed : ranked;
    const { result: rows, passed: total } = gate.through(allows, () => allowed.all(search));
    return { rows, total };
  };
  return db.transaction((search: CompiledSearch, allows?: ItemFilter) => {
    const { rows, total } = allows === undefined ? select(search) : selectAllowed(search, allows);
    const texts = snippets(rows, search.match);
    return { hits: rows.map((row, index) => toHit(row, texts[index] ?? '')), total };
  });
}

type Row = Omit<SearchHit, 'tags' | 'snippet' | 'shadowedBy'> & {
  readonly number: number;
  readonly tags: string;
  readonly shadowedBy: SpaceName | null;
};

type Selected = { readonly rows: readonly Row[]; readonly total: number };

type Selection = {
  readonly all: Statement<[CompiledSearch], Row>;
  readonly count: Statement<[CompiledSearch], number>;
  /** Those that pass the gate. */
  readonly allowed: Statement<[CompiledSearch], Row>;
};

/** The order of the join is that of the hits, so that the items are looked up one by one. */
const MATCHING = 'texts CROSS JOIN items AS i ON i.number = texts.rowid WHERE texts MATCH :match AND';

const SHOWN =
  'i.number, i.kind, i.id, i.space, i.name, i.title, i.description, i.category, i.tags, i.shadowed_by AS shadowedBy';

const FILTERS = `i.problem IS NULL
  AND (:kinds IS NULL OR i.kind IN (SELECT value FROM json_each(:kinds)))
  AND (:source IS NULL OR i.space = :source)
  AND (:category IS NULL OR i.category = :category OR substr(i.category, 1, length(:category) + 1) = :category || '/')
  AND (:tags IS NULL OR NOT EXISTS (
    SELECT 1 FROM json_each(:tags) AS wanted
    WHERE NOT EXISTS (SELECT 1 FROM tags WHERE tags.item = i.number AND tags.tag = wanted.value)))`;

/** What has a text can be found, if nothing is filtered; this spares the look at every item. */
const COUNT_TEXTS = 'SELECT count(*) FROM texts WHERE texts MATCH :match';

function isFiltered({ kinds, source, category, tags }: CompiledSearch): boolean {
  return [kinds, source, category, tags].some((filter) => filter !== null);
}

/** SQLite's `bm25` is the lower the better. */
function rank(columns: readonly FieldColumn[]): string {
  return `-bm25(texts, ${columns.map(({ weight }) => weight).join(', ')})`;
}

function prepareSelection(db: Connection, { score, from }: { score: string; from: string }): Selection {
  const select = (filters: string): Selection['all'] =>
    db.prepare(`SELECT ${SHOWN}, ${score} AS score FROM ${from} ${filters}
      ORDER BY i.shadowed_by IS NOT NULL, score DESC, i.id, i.kind, i.space LIMIT :limit`);
  return {
    all: select(FILTERS),
    allowed: select(gated(FILTERS)),
    count: db.prepare<[CompiledSearch], number>(`SELECT count(*) FROM ${from} ${FILTERS}`).pluck(),
  };
}

/** Makes the function that gives each row its snippet; the later ones get little to choose from if the bodies are long. */
function prepareSnippets(db: Connection, columns: readonly FieldColumn[]) {
  const bodies = new Map(
    columns.flatMap(({ kind, field }, index) => (field === 'text' ? [[kind, prepareBody(db, columnName(index))]] : [])),
  );
  return (rows: readonly Row[], match: string | null): readonly string[] => {
    if (match === null) return rows.map(() => '');
    const wanted = wantedWords(match);
    let left = SNIPPET_SOURCES;
    return rows.map(({ kind, number }) => {
      const body = bodies.get(kind)?.get(Math.max(MAX_SNIPPET, Math.min(SNIPPET_SOURCE, left)), number) ?? '';
      left -= body.length;
      return makeSnippet(body, wanted);
    });
  };
}

/** Numbers are cast: an integer given from here arrives as a real number. */
function prepareBody(db: Connection, column: string): Statement<[number, number], string> {
  const sql = `SELECT substr(${column}, 1, CAST(? AS INTEGER)) FROM texts WHERE rowid = CAST(? AS INTEGER)`;
  return db.prepare<[number, number], string>(sql).pluck();
}

function toHit(row: Row, snippet: string): SearchHit {
  const { kind, id, space, name, title, description, score, shadowedBy } = row;
  const category = shownLine(row.category);
  // The index wrote the tags itself.
  const tags = parseIndexed(row.tags) as string[];
  const hit = { kind, id, space, name, title, description, category, tags, score, snippet };
  return shadowedBy === null ? hit : { ...hit, shadowedBy };
}
