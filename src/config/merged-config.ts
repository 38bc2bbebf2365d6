import { readDocuments, type Documents } from './documents.ts';
import { leavesOf } from './leaves.ts';
import { HOOK_LEVELS, type ConfigName, type ConfigSources, type Layer, type TableName } from './layers.ts';
import { parseDocuments } from './load.ts';
import { maskSecrets } from './mask-secrets.ts';
import { mergeConfig, type Document } from './merge.ts';

/** A config file as all spaces together make it, in the spelling of the YAML. */
export type MergedDocument = {
  readonly document: Document;
  /** The file each value came from, by the value's path (see `leavesOf`). */
  readonly origins: Readonly<Record<string, string>>;
};

/** The whole configuration as it is written, merged, and what the user should know about it. */
export type MergedConfig = {
  readonly documents: Readonly<Record<ConfigName | TableName, MergedDocument>>;
  readonly systemDir: string;
  readonly warnings: readonly string[];
};

/**
 * Merges the configuration for people to read: every value with the file it came from. Secrets that somebody wrote into a
 * file are masked. Hooks of the project and of user and system stay apart, as they do when they run.
 *
 * @throws SkeinError `invalid_config` as `loadConfig`: nothing is shown that would not be used
 */
export function readMergedConfig(sources: ConfigSources): MergedConfig {
  const documents = readDocuments(sources);
  const { warnings } = parseDocuments(documents);
  const { hooks, ...layers } = documents.layers;
  const merged = Object.entries({ ...layers, ...documents.tables }).map(([name, list]) => [name, mergeLayers(list)]);
  return {
    // The names of the layers, and `hooks`.
    documents: { ...Object.fromEntries(merged), hooks: mergeHooks(hooks) } as MergedConfig['documents'],
    systemDir: sources.systemDir,
    warnings,
  };
}

function mergeLayers(layers: readonly Layer[]): MergedDocument {
  let document: Document = {};
  let origins: ReadonlyMap<string, string> = new Map();
  for (const { file, document: override } of layers) {
    document = mergeConfig(document, override, { file });
    origins = originsAfter({ document, override, file }, origins);
  }
  return { document: maskSecrets(document), origins: Object.fromEntries(origins) };
}

type Merge = { readonly document: Document; readonly override: Document; readonly file: string };

/** A value that stands in the override came from there, any other from where it was before. */
function originsAfter(
  { document, override, file }: Merge,
  before: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const given = leavesOf(override);
  const paths = [...leavesOf(document).keys()];
  return new Map(paths.map((path) => [path, given.has(path) ? file : (before.get(path) ?? file)]));
}

function mergeHooks(layers: Documents['layers']['hooks']): MergedDocument {
  const places = Object.entries(HOOK_LEVELS).map(([space, levels]) => {
    const key = `${space}_hooks`;
    const renamed = layers
      .filter(({ level }) => levels.includes(level))
      .map((layer) => ({ ...layer, document: { [key]: layer.document['hooks'] ?? [] } }));
    return mergeLayers(renamed);
  });
  return {
    document: Object.assign({}, ...places.map(({ document }) => document)) as Document, // maps with a key of ours
    origins: Object.assign({}, ...places.map(({ origins }) => origins)) as MergedDocument['origins'], // as above
  };
}
