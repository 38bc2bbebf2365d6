import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SkeinError } from '../core/errors.ts';
import type { ItemKind } from '../core/item.ts';
import { parseAgent } from './agent.ts';
import { parseLedger } from './budget.ts';
import type { Config } from './config.ts';
import { parseErrors } from './error-patterns.ts';
import { parseEvents } from './events.ts';
import { type Extractor, parseExtractor } from './extractors.ts';
import { deepFreeze } from './freeze.ts';
import { parseHookConditions, parseHookFile } from './hooks.ts';
import type { ConfigName, ConfigSources, Layer, TableName } from './layers.ts';
import { CONFIG_NAMES, configFolders, findStrayFiles, readLayers, TABLE_NAMES } from './layers.ts';
import { parseMcp } from './mcp.ts';
import type { Document } from './merge.ts';
import { mergeConfig } from './merge.ts';
import { checkProjectAgent, checkProjectExtractor, checkProjectMcp, projectMayVouch } from './project-rules.ts';
import { parseResilience } from './resilience.ts';
import { unifyPolicySpelling } from './retry-policy.ts';
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
  refuseForeignOverrides(sources);
  refuseTableOverrides(sources);
  const warnings: string[] = [...findStrayFiles(sources)];
  const read = (name: ConfigName): readonly Layer[] =>
    readLayers(name, sources).map((layer) => dropDescriptive(name, layer, warnings));
  const layers = Object.fromEntries(CONFIG_NAMES.map((name) => [name, read(name)])) as Record<
    ConfigName,
    readonly Layer[]
  >; // one entry for every name
  const config = build(layers, (name) => readTable(name, sources));
  return deepFreeze({ config, origins: listOrigins(layers), warnings });
}

function build(
  layers: Readonly<Record<ConfigName, readonly Layer[]>>,
  table: (name: TableName) => TableSchema,
): Config {
  const resilience = fold(layers.resilience.map(unifyPolicies), (merged, { file }) => parseResilience(merged, file));
  const { table: ledger, ...budget } = foldLedger(layers.budget_ledger_schema);
  return {
    events: fold(layers.events, (merged, { file }, before) => parseEvents(merged, file, before)),
    errors: fold(layers.error_classification.map(unifyPolicies), (merged, { file }) =>
      parseErrors(merged, file, resilience.retry.policies),
    ),
    hooks: {
      project: foldHooks(layers.hooks, ['project', 'overrides']),
      user: foldHooks(layers.hooks, ['system', 'user']),
      ...fold(layers.hook_conditions, (merged, { file }) => parseHookConditions(merged, file)),
    },
    resilience,
    agent: foldAgent(layers.agent),
    mcp: foldMcp(layers.mcp),
    projectVouches: projectMayVouch(layers.agent),
    extractors: {
      directive: foldExtractor('directive', layers['extractors/directive_extractor']),
      tool: foldExtractor('tool', layers['extractors/tool_extractor']),
      knowledge: foldExtractor('knowledge', layers['extractors/knowledge_extractor']),
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

function foldAgent(layers: readonly Layer[]): Config['agent'] {
  return fold<Config['agent']>(layers, (merged, layer, before) => {
    const after = parseAgent(merged, layer.file);
    if (before) checkProjectAgent(layer, before, after);
    return after;
  });
}

function foldMcp(layers: readonly Layer[]): Config['mcp'] {
  return fold<Config['mcp']>(layers, (merged, layer, before) => {
    const after = parseMcp(merged, layer.file);
    if (before) checkProjectMcp(layer, before, after);
    return after;
  });
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

function foldExtractor(kind: ItemKind, layers: readonly Layer[]): Extractor {
  return fold<Extractor>(layers, (merged, layer, before) => {
    const after = parseExtractor(kind, merged, layer.file);
    if (before) checkProjectExtractor(layer, before, after);
    return after;
  });
}

const NO_HOOKS: Layer = { level: 'system', file: 'hooks.yaml', document: { schema_version: '1.0.0', hooks: [] } };

/** Hook files of different spaces are not merged: each space has its own place in the order. */
function foldHooks(layers: readonly Layer[], levels: readonly Layer['level'][]): Config['hooks']['project'] {
  const chosen = [NO_HOOKS, ...layers.filter(({ level }) => levels.includes(level))];
  return fold(chosen, (merged, { file }) => parseHookFile(merged, file));
}

function unifyPolicies(layer: Layer): Layer {
  return { ...layer, document: unifyPolicySpelling(layer.document, { file: layer.file }) };
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

function readTable(name: TableName, { systemDir }: ConfigSources): TableSchema {
  return fold(readLayers(name, { systemDir }), (merged, { file }) => parseTable(merged, file));
}

const FIXED_TABLES = 'storage schemas belong to the package and cannot be overridden';

function refuseTableOverrides(sources: ConfigSources): void {
  const { user, project } = configFolders(sources);
  const folders = [user, project].flatMap((folder) => (folder === undefined ? [] : [folder, join(folder, 'agent')]));
  const files = folders.flatMap((folder) => TABLE_NAMES.map((name) => join(folder, `${name}.yaml`)));
  const file = files.find((candidate) => existsSync(candidate));
  if (file === undefined) return;
  throw new SkeinError('invalid_config', FIXED_TABLES, { where: { file } });
}

function refuseForeignOverrides({ overrides }: ConfigSources): void {
  const known: readonly string[] = CONFIG_NAMES;
  const foreign = Object.keys(overrides ?? {}).find((name) => !known.includes(name));
  if (foreign === undefined) return;
  throw new SkeinError('invalid_config', `there is no config file "${foreign}"; the files are ${known.join(', ')}`, {
    where: { file: 'overrides', path: foreign },
  });
}

function listOrigins(layers: Readonly<Record<ConfigName, readonly Layer[]>>): LoadedConfig['origins'] {
  const files = Object.entries(layers).map(([name, list]) => [name, list.map(({ file }) => file)]);
  return Object.fromEntries(files) as LoadedConfig['origins']; // the same names
}
