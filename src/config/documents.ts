import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SkeinError } from '../core/errors.ts';
import { attempt } from '../core/result.ts';
import {
  CONFIG_NAMES,
  overridePlaces,
  readLayers,
  TABLE_NAMES,
  type ConfigName,
  type ConfigSources,
  type Layer,
  type OverridePlace,
  type TableName,
} from './layers.ts';
import { readParsedFiles, type ParsedFiles } from './parsed-files.ts';
import { admitProjectHooks } from './project-hooks.ts';
import { unifyPolicySpelling } from './retry-policy.ts';
import { findStrayFiles } from './stray-files.ts';
import { entryAt } from './yaml.ts';

/** Every document of a configuration as it is merged, weakest first under each name. */
export type Documents = {
  readonly layers: Readonly<Record<ConfigName, readonly Layer[]>>;
  readonly tables: Readonly<Record<TableName, readonly Layer[]>>;
  /** What the user should know about the files. */
  readonly warnings: readonly string[];
  /** What the system's documents alone are parsed to, if that is known. */
  readonly shipped?: ParsedFiles['config'] | undefined;
};

/**
 * Reads the documents of all spaces, synonyms brought to one spelling. Left out are keys that only describe the format,
 * and hooks that a project may not have.
 *
 * @throws SkeinError `invalid_config` for what can't be read, or has no business where it is
 */
export function readDocuments(sources: ConfigSources): Documents {
  refuseForeignOverrides(sources);
  const { systemDir } = sources;
  const places = overridePlaces(sources);
  refuseNoFolders(places);
  refuseTableOverrides(places);
  const warnings: string[] = [...findStrayFiles(places)];
  const parsed = readParsedFiles(systemDir);
  const read = (name: ConfigName): readonly Layer[] =>
    readLayers(name, { ...sources, places }, parsed?.documents[name]).map((layer) => tidy(name, layer, warnings));
  const readTable = (name: TableName): readonly Layer[] =>
    readLayers(name, { systemDir, places: [] }, parsed?.documents[name]);
  // This and the tables have one entry for every name.
  const layers = Object.fromEntries(CONFIG_NAMES.map((name) => [name, read(name)])) as Documents['layers'];
  return {
    layers: admitProjectHooks(layers, warnings),
    tables: Object.fromEntries(TABLE_NAMES.map((name) => [name, readTable(name)])) as Record<
      TableName,
      readonly Layer[]
    >,
    warnings,
    shipped: parsed?.config,
  };
}

const WITH_POLICIES: ReadonlySet<ConfigName> = new Set(['resilience', 'error_classification']);

function tidy(name: ConfigName, layer: Layer, warnings: string[]): Layer {
  const { file } = layer;
  const kept = dropDescriptive(name, layer, warnings);
  return WITH_POLICIES.has(name) ? { ...kept, document: unifyPolicySpelling(kept.document, { file }) } : kept;
}

/** Keys of S2's files that describe the format and set nothing. */
const DESCRIPTIVE: Partial<Readonly<Record<ConfigName, readonly string[]>>> = {
  events: ['criticality_levels'],
  error_classification: ['operators', 'combinators', 'retry_policy_types'],
  hook_conditions: ['action_primaries', 'action_item_types'],
};

function dropDescriptive(name: ConfigName, layer: Layer, warnings: string[]): Layer {
  const found = (DESCRIPTIVE[name] ?? []).filter((key) => Object.hasOwn(layer.document, key));
  if (found.length === 0) return layer;
  warnings.push(`${layer.file}: ${found.join(', ')} only describe the format; they are not read`);
  const kept = Object.entries(layer.document).filter(([key]) => !found.includes(key));
  return { ...layer, document: Object.fromEntries(kept) };
}

/** Why a file outside the package may not say what the store's tables are. */
export const FIXED_TABLES = 'storage schemas belong to the package and cannot be overridden';

function refuseTableOverrides(places: readonly OverridePlace[]): void {
  const files = places.flatMap(({ folder }) => TABLE_NAMES.map((name) => join(folder, `${name}.yaml`)));
  const file = files.find((candidate) => existsSync(candidate));
  if (file === undefined) return;
  throw new SkeinError('invalid_config', FIXED_TABLES, {
    where: { file },
  });
}

/** Of a file where a folder is expected, or of a link that leads nowhere, no config file would be found, as if there was none. */
function refuseNoFolders(places: readonly OverridePlace[]): void {
  const odd = places.find(({ folder }) => entryAt(folder) !== undefined && !isFolder(folder));
  if (odd)
    throw new SkeinError('invalid_config', 'not a folder, or a link that leads to none', {
      where: { file: odd.folder },
    });
}

function isFolder(path: string): boolean {
  const found = attempt(() => statSync(path).isDirectory());
  return found.ok && found.value;
}

function refuseForeignOverrides({ overrides }: ConfigSources): void {
  const known: readonly string[] = CONFIG_NAMES;
  const foreign = Object.keys(overrides ?? {}).find((name) => !known.includes(name));
  if (foreign === undefined) return;
  throw new SkeinError('invalid_config', `there is no config file "${foreign}"; the files are ${known.join(', ')}`, {
    where: { file: 'overrides', path: foreign },
  });
}
