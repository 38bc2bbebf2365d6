import { SkeinError, type ErrorPlace } from '../core/errors.ts';
import { isRecord, own } from '../core/record.ts';

/** A config document as it is written: plain data, snake_case keys. */
export type Document = Readonly<Record<string, unknown>>;

/** Deepest nesting that is merged. */
const MAX_DEPTH = 64;

/**
 * Lays `override` over `base` and returns a new document; neither is changed (contracts, "Merge of overrides").
 *
 * - maps are merged deep;
 * - lists of entries with an `id` at the top (`patterns`, `hooks`) are merged by id, each entry deep; new entries follow at the end;
 * - everything else, other lists included, is replaced: further down a list is data, whatever its entries look like;
 * - `extends` at the top is metadata and left out;
 * - a condition, hook action, retry policy, interpreter, MCP server or reasoning of a model of another kind (`any` for
 *   `path`, `exists` for a test with a value, `{}` for any, `fixed` for `exponential`, `url` for `command`) replaces the old
 *   one: a mixture of both means nothing;
 * - so does a hook's `action` its `actions`, and the other way round.
 *
 * @throws SkeinError `invalid_config` for a key `__proto__`, an entry without `id` or an id that appears twice.
 */
export function mergeConfig(base: Document, override: Document, place: ErrorPlace = {}): Document {
  const { extends: _, ...settings } = override;
  return mergeMaps(base, settings, { place, path: [] });
}

type Spot = { readonly place: ErrorPlace; readonly path: readonly string[] };

function mergeMaps(base: Document, override: Document, spot: Spot): Document {
  if (spot.path.length > MAX_DEPTH) throw refusal(spot, `nested deeper than ${MAX_DEPTH} levels`);
  if (Object.hasOwn(base, '__proto__') || Object.hasOwn(override, '__proto__')) {
    throw refusal(spot, 'the key __proto__ is not allowed');
  }
  const merged: Record<string, unknown> = { ...base };
  for (const key of Object.keys(override)) {
    const old = own(base, key);
    merged[key] = mergeValues(old, override[key], into(spot, key));
  }
  return merged;
}

function mergeValues(base: unknown, override: unknown, spot: Spot): unknown {
  if (Array.isArray(override)) return mergeLists(Array.isArray(base) ? base : [], override, spot);
  if (!isRecord(override)) return override;
  // Merging into an empty map copies, so that no part of an override is shared and every key is checked.
  return mergeMaps(isRecord(base) && isSameKind(base, override, spot) ? base : {}, override, spot);
}

type Entry = Document & { readonly id: string };

function mergeLists(base: readonly unknown[], override: readonly unknown[], spot: Spot): readonly unknown[] {
  const inBase = base.filter(isEntry);
  const inOverride = override.filter(isEntry);
  const isData = spot.path.length > 1;
  if (isData || (inBase.length === 0 && inOverride.length === 0)) {
    return override.map((value, index) => mergeValues(undefined, value, into(spot, String(index))));
  }
  if (inOverride.length < override.length || inBase.length < base.length) {
    throw refusal(spot, whatIdLacks([...base, ...override]));
  }
  return mergeEntries(inBase, inOverride, spot);
}

/** A number or a date may look like an id in YAML. */
function whatIdLacks(entries: readonly unknown[]): string {
  const odd = entries.find((entry) => isRecord(entry) && entry['id'] !== undefined && !isEntry(entry));
  if (!isRecord(odd)) return 'every entry of this list needs an id';
  return `an id is a text, not ${JSON.stringify(odd['id']).slice(0, 100)}: put it into quotes`;
}

function mergeEntries(base: readonly Entry[], override: readonly Entry[], spot: Spot): readonly unknown[] {
  const merged = new Map<string, unknown>(base.map((entry) => [entry.id, entry]));
  const seen = new Set<string>();
  for (const entry of override) {
    if (seen.has(entry.id)) throw refusal(spot, `the id "${entry.id}" appears twice`);
    seen.add(entry.id);
    const old = merged.get(entry.id);
    const kept = isHookList(spot) ? withoutRival(old, entry) : old;
    merged.set(entry.id, mergeValues(kept, entry, into(spot, entry.id)));
  }
  return [...merged.values()];
}

/** `hooks` `builtin_hooks` `infra_hooks`, or as they are named for people. */
function isHookList({ path }: Spot): boolean {
  return (path[0] ?? '').endsWith('hooks');
}

/** A hook has either `action` or `actions`. */
function withoutRival(base: unknown, override: Entry): unknown {
  const { action, actions } = override;
  const rival = action !== undefined ? 'actions' : actions !== undefined ? 'action' : undefined;
  if (rival === undefined || !isRecord(base)) return base;
  const { [rival]: _, ...others } = base;
  return others;
}

function isEntry(value: unknown): value is Entry {
  return isRecord(value) && Object.hasOwn(value, 'id') && typeof value['id'] === 'string';
}

const KINDS_BY_KEY: Readonly<Record<string, (map: Document) => string | undefined>> = {
  match: conditionKind,
  condition: conditionKind,
  not: conditionKind,
  action: actionKind,
  retry_policy: policyKind,
  fallback: policyKind,
  interpreter: policyKind,
};

/** The same for the entries of a map, by the map's key. */
const KINDS_BY_PARENT: ReadonlyMap<string, (map: Document) => string | undefined> = new Map([
  ['policies', policyKind],
  ['servers', serverKind],
]);

function isSameKind(base: Document, override: Document, { path }: Spot): boolean {
  const key = path.at(-1) ?? '';
  const kindOf = isModelReasoning(path)
    ? reasoningKind
    : (KINDS_BY_PARENT.get(path.at(-2) ?? '') ?? own(KINDS_BY_KEY, key));
  const kind = kindOf?.(override);
  const old = kindOf?.(base);
  return kind === undefined || kind === old || (old ?? '').startsWith(`${kind}: `);
}

/** `exists` takes no value, and nothing at all is always true. Another path alone is a test of either kind. */
function conditionKind(map: Document): string | undefined {
  if (Object.keys(map).length === 0) return 'always';
  if (map['op'] === 'exists') return 'path: exists';
  if (Object.hasOwn(map, 'value')) return 'path: value';
  return ['any', 'all', 'not', 'path'].find((key) => Object.hasOwn(map, key));
}

function actionKind(map: Document): string | undefined {
  return ['set_extends', 'function', 'primary'].find((key) => Object.hasOwn(map, key));
}

function policyKind(map: Document): string | undefined {
  return Object.hasOwn(map, 'type') ? String(map['type']) : undefined;
}

function serverKind(map: Document): string | undefined {
  return ['command', 'url'].find((key) => Object.hasOwn(map, key));
}

/** `models.NAME.reasoning`; in a request of a tool it may be anything. */
function isModelReasoning(path: readonly string[]): boolean {
  return path.length === 3 && path[0] === 'models' && path[2] === 'reasoning';
}

function reasoningKind(map: Document): string | undefined {
  return ['effort', 'budget_tokens'].find((key) => Object.hasOwn(map, key));
}

function into(spot: Spot, key: string): Spot {
  return { ...spot, path: [...spot.path, key] };
}

function refusal({ place, path }: Spot, message: string): SkeinError {
  return new SkeinError('invalid_config', message, { where: { ...place, path: path.join('.') } });
}
