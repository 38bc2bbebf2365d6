import { isDeepStrictEqual } from 'node:util';
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
import { mergeConfig, type Document } from './merge.ts';
import { checkProjectAgent, checkProjectExtractor, checkProjectMcp, projectMayVouch } from './project-rules.ts';
import { parseResilience } from './resilience.ts';
import { parseTable, type TableSchema } from './tables.ts';

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
export function parseDocuments(documents: Documents): LoadedConfig {
  const { layers, warnings } = documents;
  return deepFreeze({ config: build(documents), origins: listOrigins(layers), warnings });
}

function build({ layers, tables, shipped }: Documents): Config {
  const table = (name: TableName, known: TableSchema | undefined): TableSchema =>
    fold(tables[name], plain(parseTable), known);
  const resilience = fold(layers.resilience, plain(parseResilience), shipped?.resilience);
  const { policies } = resilience.retry;
  // Patterns name policies of the other file.
  const errors = isDeepStrictEqual(policies, shipped?.resilience.retry.policies) ? shipped?.errors : undefined;
  const { table: ledger, ...budget } = foldLedger(
    layers.budget_ledger_schema,
    shipped && { table: shipped.tables.ledger, ...shipped.budget },
  );
  return {
    events: fold(layers.events, (merged, { file }, before) => parseEvents(merged, file, before), shipped?.events),
    errors: fold(layers.error_classification, (merged, { file }) => parseErrors(merged, file, policies), errors),
    hooks: {
      project: foldHooks(layers.hooks, HOOK_LEVELS.project, shipped?.hooks.project),
      user: foldHooks(layers.hooks, HOOK_LEVELS.user, shipped?.hooks.user),
      ...fold(
        layers.hook_conditions,
        plain(parseHookConditions),
        shipped && { builtin: shipped.hooks.builtin, infra: shipped.hooks.infra },
      ),
    },
    resilience,
    agent: fold(layers.agent, checked(parseAgent, checkProjectAgent), shipped?.agent),
    mcp: fold(layers.mcp, checked(parseMcp, checkProjectMcp), shipped?.mcp),
    cacheLimits: fold(layers.cache_limits, plain(parseCacheLimits), shipped?.cacheLimits),
    projectVouches: projectMayVouch(layers.agent),
    extractors: {
      project: foldExtractors(layers, ['system', 'user', 'project', 'overrides'], shipped?.extractors.project),
      user: foldExtractors(layers, ['system', 'user', 'overrides'], shipped?.extractors.user),
      system: foldExtractors(layers, ['system'], shipped?.extractors.system),
    },
    budget,
    tables: {
      ledger,
      registry: table('thread_registry_schema', shipped?.tables.registry),
      events: table('event_log_schema', shipped?.tables.events),
      checkpoints: table('checkpoint_schema', shipped?.tables.checkpoints),
      approvals: table('approvals_schema', shipped?.tables.approvals),
      entries: table('budget_entries_schema', shipped?.tables.entries),
      upkeep: table('upkeep_schema', shipped?.tables.upkeep),
      home: table('home_schema', shipped?.tables.home),
    },
  };
}

type Parse<Parsed> = (merged: Document, layer: Layer, before: Parsed | undefined) => Parsed;

/**
 * Merges layer by layer and parses after each, so that the error names the file that brought it in. The package's layer is
 * not parsed if it is known what becomes of it.
 */
function fold<Parsed>(layers: readonly Layer[], parse: Parse<Parsed>, shipped: Parsed | undefined): Parsed {
  let merged: Document = {};
  let parsed: Parsed | undefined;
  for (const layer of layers) {
    const known = layer.level === 'system' ? shipped : undefined;
    merged = known ? layer.document : mergeConfig(merged, layer.document, { file: layer.file });
    parsed = known ?? parse(merged, layer, parsed);
  }
  if (parsed === undefined) throw new SkeinError('internal', 'a config without layers');
  return parsed;
}

function plain<Parsed>(parse: (merged: Document, file: string) => Parsed): Parse<Parsed> {
  return (merged, { file }) => parse(merged, file);
}

/** What a layer makes of the ones before it is checked: a project may not allow itself everything. */
function checked<Parsed>(
  parse: (merged: Document, file: string) => Parsed,
  check: (layer: Layer, before: Parsed, after: Parsed) => void,
): Parse<Parsed> {
  return (merged, layer, before) => {
    const after = parse(merged, layer.file);
    if (before !== undefined) check(layer, before, after);
    return after;
  };
}

/** What the items of one space are read by: what others say about their own items does not count there. */
function foldExtractors(
  layers: Readonly<Record<ConfigName, readonly Layer[]>>,
  levels: readonly Layer['level'][],
  shipped: Extractors | undefined,
): Extractors {
  const foldKind = (kind: ItemKind): Extractor => {
    const chosen = layers[`extractors/${kind}_extractor`].filter(({ level }) => levels.includes(level));
    const parse = (merged: Document, file: string): Extractor => parseExtractor(kind, merged, file);
    return fold(chosen, checked(parse, checkProjectExtractor), shipped?.[kind]);
  };
  return { directive: foldKind('directive'), tool: foldKind('tool'), knowledge: foldKind('knowledge') };
}

type Ledger = ReturnType<typeof parseLedger>;

function foldLedger(layers: readonly Layer[], shipped: Ledger | undefined): Ledger {
  const parse = (merged: Document, layer: Layer): Ledger => {
    if (layer.level !== 'system' && Object.hasOwn(layer.document, 'table')) {
      throw new SkeinError('invalid_config', `${FIXED_TABLES}; only "operations" may be set here`, {
        where: { file: layer.file, path: 'table' },
      });
    }
    return parseLedger(merged, layer.file);
  };
  return fold(layers, parse, shipped);
}

const NO_HOOKS: Layer = { level: 'system', file: 'hooks.yaml', document: { schema_version: '1.0.0', hooks: [] } };

type Hooks = Config['hooks']['project'];

/** Hook files of different spaces are not merged: each space has its own place in the order. */
function foldHooks(layers: readonly Layer[], levels: readonly Layer['level'][], shipped: Hooks | undefined): Hooks {
  const chosen = [NO_HOOKS, ...layers.filter(({ level }) => levels.includes(level))];
  return fold(chosen, plain(parseHookFile), shipped);
}

function listOrigins(layers: Documents['layers']): LoadedConfig['origins'] {
  const files = Object.entries(layers).map(([name, list]) => [name, list.map(({ file }) => file)]);
  return Object.fromEntries(files) as LoadedConfig['origins']; // the same names
}
