import { fileURLToPath } from 'node:url';
import type { Config } from '../../src/config/config.ts';
import { readDocuments, type Documents } from '../../src/config/documents.ts';
import { leavesOf, partsOf } from '../../src/config/leaves.ts';
import { CONFIG_NAMES, TABLE_NAMES, type ConfigName, type TableName } from '../../src/config/layers.ts';
import { parseDocuments } from '../../src/config/load.ts';
import type { Document } from '../../src/config/merge.ts';
import { unifyPolicySpelling } from '../../src/config/retry-policy.ts';
import { readYamlFile } from '../../src/config/yaml.ts';

/* The frame of the table of leaf keys: what a row is, and how its change is made. */

/** A shipped file by its name, its documents as they would be loaded, and what they are parsed to. */
export type State = { readonly config: Config; readonly documents: Documents };

/**
 * A row: the keys it is for, how they are changed, and what is seen of that. In a path `*` stands for any key of a map,
 * `[*]` for any entry of a list, `**` for any rest.
 */
export type Row = {
  readonly path: string;
  /** Another value; gets the one that ships. Default: the same type, another value. */
  readonly to?: (value: unknown, path: string) => unknown;
  /** Another document, where a value makes sense with its neighbours only. */
  readonly change?: (document: Document, path: string) => Document;
} & (
  | {
      /** Behaves, and says how: the test wants another answer after the change. */
      readonly sees: (state: State, path: string) => unknown;
      /** Where another key refers to this one, the change is refused for this reason. */
      readonly referred?: RegExp;
    }
  | {
      /** The change is refused, for this reason. */
      readonly refused: RegExp;
    }
);

export const SYSTEM_DIR: string = fileURLToPath(new URL('../../config', import.meta.url));

const shippedDocuments = readDocuments({ systemDir: SYSTEM_DIR });

/** What ships. */
export const SHIPPED: State = { documents: shippedDocuments, config: parseDocuments(shippedDocuments).config };

/** A shipped file as it is written, and its leaves; read once. */
const shippedFiles = new Map<string, { readonly document: Document; readonly keys: readonly string[] }>();

function readShipped(name: string): { readonly document: Document; readonly keys: readonly string[] } {
  const document = readYamlFile(`${SYSTEM_DIR}/${name}.yaml`);
  if (document === undefined) throw new Error(`There is no ${name}.yaml`);
  const file = { document, keys: [...leavesOf(document).keys()] };
  shippedFiles.set(name, file);
  return file;
}

/** A shipped file as it is written. */
export function shippedFile(name: string): Document {
  return (shippedFiles.get(name) ?? readShipped(name)).document;
}

/** The keys of a shipped file. */
export function keysOf(name: string): readonly string[] {
  return (shippedFiles.get(name) ?? readShipped(name)).keys;
}

/** Whether a path is one that a pattern stands for. */
export function fits(pattern: string, path: string): boolean {
  const known = patterns.get(pattern) ?? compilePattern(pattern);
  return known.test(path);
}

const patterns = new Map<string, RegExp>();

function compilePattern(pattern: string): RegExp {
  const source = pattern
    .replaceAll(/[\\^$+?.()|{}[\]]/g, String.raw`\$&`)
    .replaceAll('**', '\u0000')
    .replaceAll(String.raw`\[*\]`, String.raw`\[[^\]]+\]`)
    .replaceAll(String.raw`\.*`, String.raw`(?:\.[^.[\]]+|\["[^"]*"\])`)
    .replaceAll('\u0000', '.*');
  const compiled = new RegExp(`^${source}$`);
  patterns.set(pattern, compiled);
  return compiled;
}

/** A file with one key changed as its row says, loaded in place of the shipped one. @throws what is wrong with it */
export function stateWith(name: string, row: Row, path: string): State {
  const document = shippedFile(name);
  const changed = row.change?.(document, path) ?? replaced(document, path, row.to ?? other);
  return stateOf(name, changed);
}

/** What ships with another document in place of one, and a project's documents over it. @throws what is wrong with it */
export function stateOf(name: string, document: Document, project: Readonly<Record<string, Document>> = {}): State {
  const documents: Documents = {
    layers: layersWith(CONFIG_NAMES, SHIPPED.documents.layers, { name, document, project }),
    tables: layersWith(TABLE_NAMES, SHIPPED.documents.tables, { name, document, project }),
    warnings: [],
  };
  return { documents, config: parseDocuments(documents).config };
}

type Layers = Documents['layers'][ConfigName];
type Change = {
  readonly name: string;
  readonly document: Document;
  readonly project: Readonly<Record<string, Document>>;
};

function layersWith<Name extends ConfigName | TableName>(
  names: readonly Name[],
  shipped: Readonly<Record<Name, Layers>>,
  { name, document, project }: Change,
): Record<Name, Layers> {
  const layers = names.map((each) => {
    const own =
      each === name ? [{ level: 'system', file: `${name}.yaml`, document: unified(document) }] : shipped[each];
    const over = project[each];
    return [each, over ? [...own, { level: 'overrides', file: `project ${each}`, document: over }] : own];
  });
  return Object.fromEntries(layers) as Record<Name, Layers>; // one entry for each name
}

/** As `readDocuments` does. */
function unified(document: Document): Document {
  return unifyPolicySpelling(document, {});
}

/** A document with the value at a path replaced. */
export function replaced(document: Document, path: string, to: (value: unknown, path: string) => unknown): Document {
  let found = false;
  const visit = (value: unknown, at: string): unknown => {
    if (at === path) {
      found = true;
      return to(value, path);
    }
    const parts = partsOf({ path: at, value });
    if (parts.length === 0) return value;
    const visited = parts.map((part) => (path.startsWith(part.path) ? visit(part.value, part.path) : part.value));
    if (Array.isArray(value)) return visited;
    const keys = Object.keys(Object(value) as object); // a map: it has parts and is no list
    return Object.fromEntries(keys.map((key, index) => [key, visited[index]]));
  };
  const changed = visit(document, '');
  if (!found) throw new Error(`There is no ${path}`);
  return changed as Document; // a map goes in, so a map comes out
}

/** The value a path leads to. */
export function valueAt(document: Document, path: string): unknown {
  return leavesOf(document).get(path);
}

/** The name in a path, e.g. `http_429` of `patterns[http_429].id`, or `gpt-5` of `models.gpt-5.price`. */
export function nameIn(path: string): string {
  const found = /\["([^"]*)"\]|\[([^\]]+)\]|\.([^.[\]]+)/.exec(path);
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? '';
}

/** Another value of the same type. */
export function other(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'string') return `${value}_other`;
  throw new Error(`A row has to say what else than ${JSON.stringify(value)} there may be`);
}

/** The same, looked at once for each state. */
export function once(see: (state: State) => unknown): (state: State) => unknown {
  const seen = new WeakMap<State, { readonly answer: unknown }>();
  return (state) => {
    const known = seen.get(state) ?? { answer: see(state) };
    seen.set(state, known);
    return known.answer;
  };
}

/** What a function answers, or how it fails. */
export function outcome(work: () => unknown): unknown {
  try {
    return work();
  } catch (thrown) {
    return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  }
}

/** The row every file has for its format. */
export const SCHEMA_VERSION: Row = {
  path: 'schema_version',
  to: () => '2.0.0',
  refused: /unknown schema_version.*"1\.0\.0"/,
};
