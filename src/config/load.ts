import { SkeinError } from '../core/errors.ts';
import type { ItemKind } from '../core/item.ts';
import { parseAgent } from './agent.ts';
import { parseLedger } from './budget.ts';
import { parseCacheLimits } from './cache-limits.ts';
import type { Config } from './config.ts';
import { FIXED_TABLES, readDocuments, type Documents } from './documents.ts';
import { parseErrors } from './error-patterns.ts';
import { parseEvents } from './events.ts';
import { type Extractor, type Extractors, parseExtractor } from './extractors.ts';
import { deepFreeze } from './freeze.ts';
import { parseHookConditions, parseHookFile } from './hooks.ts';
import { HOOK_LEVELS, type ConfigName, type ConfigSources, type Layer, type TableName } from './layers.ts';
import { parseMcp } from './mcp.ts';
import type { Document } from './merge.ts';
import { mergeConfig } from './merge.ts';
import { checkProjectAgent, checkProjectExtractor, checkProjectMcp, projectMayVouch } from './project-rules.ts';
import { parseResilience } from './resilience.ts';
import type { TableSchema } from './tables.ts';
import { parseTable } from './tables.ts';

/** A loaded config, which files it came from (weakest first), and what the user should know about them. */
export type LoadedConfig = {
  readonly config: Config;
  readonly origins: Readonly<Record<ConfigName, readonly string[]>>;
  readonly warnings: readonly string[];
};

/**
 * Reads, merges and checks the whole configuration (S2 §6.1 and contracts): system < user < project < overrides, in each
 * space `config/agent/NAME.yaml` over `config/NAME.yaml`. The result is frozen plain data.
 *
 * @throws SkeinError `invalid_config` naming the first file that makes it wrong, the path in it and what is allowed.
 */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  return parseDocuments(readDocuments(sources));
}

/** The same of documents that have been read. @throws SkeinError `invalid_config` */
export function parseDocuments({ layers, tables, warnings }: Documents): LoadedConfig {
  return deepFreeze({ config: build(layers, tables), origins: listOrigins(layers), warnings });
}

function build(layers: Documents['layers'], tables: Documents['tables']): Config {
  const table = (name: TableName): TableSchema => fold(tables[name], (merged, { file }) => parseTable(merged, file));
  const resilience = fold(layers.resilience, (merged, { file }) => parseResilience(merged, file));
  const { table: ledger, ...budget } = foldLedger(layers.budget_ledger_schema);
  return {
    events: fold(layers.events, (merged, { file }, before) => parseEvents(merged, file, before)),
    errors: fold(layers.error_classification, (merged, { file }) =>
      parseErrors(merged, file, resilience.retry.policies),
    ),
    hooks: {
      project: foldHooks(layers.hooks, HOOK_LEVELS.project),
      user: foldHooks(layers.hooks, HOOK_LEVELS.user),
      ...fold(layers.hook_conditions, (merged, { file }) => parseHookConditions(merged, file)),
    },
    resilience,
    agent: foldChecked(layers.agent, parseAgent, checkProjectAgent),
    mcp: foldChecked(layers.mcp, parseMcp, checkProjectMcp),
    cacheLimits: fold(layers.cache_limits, (merged, { file }) => parseCacheLimits(merged, file)),
    projectVouches: projectMayVouch(layers.agent),
    extractors: {
      project: foldExtractors(layers, ['system', 'user', 'project', 'overrides']),
      user: foldExtractors(layers, ['system', 'user', 'overrides']),
      system: foldExtractors(layers, ['system']),
    },
    budget,
    tables: {
      ledger,
      registry: table('thread_registry_schema'),
      events: table('event_log_schema'),
      checkpoints: table('checkpoint_schema'),
      approvals: table('approvals_schema'),
      entries: table('budget_entries_schema'),
      upkeep: table('upkeep_schema'),
    },
  };
}

/** Merges layer by layer and parses after each, so that the error names the file that brought it in. */
function fold<Parsed>(
  layers: readonly Layer[],
  parse: (merged: Document, layer: Layer, before: Parsed | undefined) => Parsed,
): Parsed {
  let merged: Document = {};
  let parsed: Parsed | undefined;
  for (const layer of layers) {
    merged = mergeConfig(merged, layer.document, { file: layer.file });
    parsed = parse(merged, layer, parsed);
  }
  if (parsed === undefined) throw new SkeinError('internal', 'a config without layers');
  return parsed;
}

/** The same, and what a layer makes of the ones before it is checked: a project may not allow itself everything. */
function foldChecked<Parsed>(
  layers: readonly Layer[],
  parse: (merged: Document, file: string) => Parsed,
  check: (layer: Layer, before: Parsed, after: Parsed) => void,
): Parsed {
  return fold<Parsed>(layers, (merged, layer, before) => {
    const after = parse(merged, layer.file);
    if (before !== undefined) check(layer, before, after);
    return after;
  });
}

/** What the items of one space are read by: what others say about their own items does not count there. */
function foldExtractors(
  layers: Readonly<Record<ConfigName, readonly Layer[]>>,
  levels: readonly Layer['level'][],
): Extractors {
  const foldKind = (kind: ItemKind): Extractor => {
    const chosen = layers[`extractors/${kind}_extractor`].filter(({ level }) => levels.includes(level));
    return foldChecked(chosen, (merged, file) => parseExtractor(kind, merged, file), checkProjectExtractor);
  };
  return { directive: foldKind('directive'), tool: foldKind('tool'), knowledge: foldKind('knowledge') };
}

function foldLedger(layers: readonly Layer[]): ReturnType<typeof parseLedger> {
  return fold(layers, (merged, layer) => {
    if (layer.level !== 'system' && Object.hasOwn(layer.document, 'table')) {
      throw new SkeinError('invalid_config', `${FIXED_TABLES}; only "operations" may be set here`, {
        where: { file: layer.file, path: 'table' },
      });
    }
    return parseLedger(merged, layer.file);
  });
}

const NO_HOOKS: Layer = { level: 'system', file: 'hooks.yaml', document: { schema_version: '1.0.0', hooks: [] } };

/** Hook files of different spaces are not merged: each space has its own place in the order. */
function foldHooks(layers: readonly Layer[], levels: readonly Layer['level'][]): Config['hooks']['project'] {
  const chosen = [NO_HOOKS, ...layers.filter(({ level }) => levels.includes(level))];
  return fold(chosen, (merged, { file }) => parseHookFile(merged, file));
}

function listOrigins(layers: Documents['layers']): LoadedConfig['origins'] {
  const files = Object.entries(layers).map(([name, list]) => [name, list.map(({ file }) => file)]);
  return Object.fromEntries(files) as LoadedConfig['origins']; // the same names
}
