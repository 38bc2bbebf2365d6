import { dirname, join, resolve } from 'node:path';
import { SkeinError } from '../core/errors.ts';
import { isRecord } from '../core/record.ts';
import { checkExtends } from './extends.ts';
import { withKeyFiles } from './provider-key.ts';
import { mergeConfig, type Document } from './merge.ts';
import { projectSpaceOf } from './project-space.ts';
import { readYamlFile } from './yaml.ts';

/** The files users and projects may override, by their name without `.yaml`. */
export const CONFIG_NAMES = [
  'events',
  'error_classification',
  'hook_conditions',
  'resilience',
  'budget_ledger_schema',
  'hooks',
  'agent',
  'mcp',
  'cache_limits',
  'extractors/directive_extractor',
  'extractors/tool_extractor',
  'extractors/knowledge_extractor',
] as const;
/** One of {@link CONFIG_NAMES}. */
export type ConfigName = (typeof CONFIG_NAMES)[number];

/** The storage schemas: read from the system space alone, since the store's code depends on them. The ledger's has settings, too. */
export const TABLE_NAMES = [
  'thread_registry_schema',
  'event_log_schema',
  'checkpoint_schema',
  'approvals_schema',
  'budget_entries_schema',
  'upkeep_schema',
  'home_schema',
] as const;
/** One of {@link TABLE_NAMES}. */
export type TableName = (typeof TABLE_NAMES)[number];

/** Where config comes from, weakest first. */
export type ConfigSources = {
  /** Folder of the shipped YAML files. */
  readonly systemDir: string;
  /** The user space, e.g. `~/.ai`. */
  readonly userDir?: string;
  /** Root of the project; its config is in `.ai/config` below. */
  readonly projectDir?: string;
  /** Settings given in code, by file name without `.yaml`, spelled as in the YAML. They win. */
  readonly overrides?: Readonly<Record<string, unknown>>;
};

/** One document that contributes to a config. */
export type Layer = {
  readonly level: 'system' | 'user' | 'project' | 'overrides';
  /** Path of the file, or `overrides.NAME`. */
  readonly file: string;
  readonly document: Document;
};

/** Whose hooks run at the project's place, and at the user's, in the order of contracts, "Hooks". */
export const HOOK_LEVELS: Readonly<Record<'project' | 'user', readonly Layer['level'][]>> = {
  project: ['project', 'overrides'],
  user: ['system', 'user'],
};

/** Where the layers of a config file are: what ships, the places that override it, and code. */
export type LayerSources = Pick<ConfigSources, 'systemDir' | 'overrides'> & {
  readonly places: readonly OverridePlace[];
};

/** All layers of one config file, weakest first; the system's is always the first. It is read unless it is known. */
export function readLayers(
  name: ConfigName | TableName,
  sources: LayerSources,
  known: Document | undefined,
): readonly Layer[] {
  const system = readSystemLayer(name, sources, known);
  const files = sources.places.map(({ level, folder }) => ({ level, file: join(folder, `${name}.yaml`) }));
  const read = files.flatMap((place) => readLayer(place, name) ?? []);
  return [system, ...read, ...readOverrides(name, sources.overrides)];
}

function readSystemLayer(name: string, { systemDir }: LayerSources, known: Document | undefined): Layer {
  const place = { level: 'system', file: join(systemDir, `${name}.yaml`) } as const;
  const layer = known ? { ...place, document: known } : readLayer(place, name);
  if (layer !== undefined) return layer;
  throw new SkeinError('invalid_config', 'a config file of the package is missing', { where: { file: place.file } });
}

/** A folder that may override what ships. */
export type OverridePlace = { readonly level: 'user' | 'project'; readonly folder: string };

/**
 * The folders that may override what ships, weakest first: of each space `config`, and `config/agent` over it. Looks at the
 * disk: a project whose space is the user's own counts as user space only.
 */
export function overridePlaces({ userDir, projectDir }: ConfigSources): readonly OverridePlace[] {
  const spaces = {
    user: userDir === undefined ? undefined : resolve(userDir),
    project: projectDir === undefined ? undefined : projectSpaceOf(projectDir, userDir),
  };
  return (['user', 'project'] as const).flatMap((level) => {
    const space = spaces[level];
    if (space === undefined) return [];
    const folder = join(space, 'config');
    return [
      { level, folder },
      { level, folder: join(folder, 'agent') },
    ];
  });
}

function readLayer(place: Omit<Layer, 'document'>, name: string): Layer | undefined {
  const document = readYamlFile(place.file);
  return document && toLayer({ ...place, document }, name);
}

/** Own keys only, and a copy: `mergeConfig` copies key by key. */
function toLayer({ document, ...place }: Layer, name: string): Layer {
  const { file, level } = place;
  checkExtends(name, document, file);
  const own = mergeConfig({}, document, { file });
  return { ...place, document: name === 'agent' && level !== 'overrides' ? withKeyFiles(own, dirname(file)) : own };
}

function readOverrides(name: string, overrides: ConfigSources['overrides']): readonly Layer[] {
  if (overrides === undefined || !Object.hasOwn(overrides, name) || overrides[name] === undefined) return [];
  const file = `overrides.${name}`;
  const copy = cloneData(overrides[name], file);
  if (!isRecord(copy)) {
    throw new SkeinError('invalid_config', 'must be a map of settings', { where: { file } });
  }
  return [toLayer({ level: 'overrides', file, document: copy }, name)];
}

function cloneData(value: unknown, file: string): unknown {
  try {
    return structuredClone(value);
  } catch (cause) {
    throw new SkeinError('invalid_config', 'config is plain data: no functions, no class instances', {
      where: { file },
      cause,
    });
  }
}
