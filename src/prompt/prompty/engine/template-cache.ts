import type { CompiledTemplate } from './template.ts';

/** What tells two compilations of one text apart. */
export interface CacheKey {
  readonly text: string;
  /** Format and switches. */
  readonly variant: string;
  readonly registry: ReadonlyMap<string, string> | undefined;
}

/** Compiled templates by text; the ones not used for longest leave first. */
export interface TemplateCache {
  /** The template of a key, compiled by `compile` if it is not there. */
  readonly get: (key: CacheKey, compile: () => CompiledTemplate) => CompiledTemplate;
}

/** Bounds of a cache: entries, and {@link CompiledTemplate.units} of all of them. */
export interface CacheBounds {
  readonly entries: number;
  readonly units: number;
}

type Entry = { readonly key: CacheKey; readonly compiled: CompiledTemplate };

const DEFAULT_LIMITS: CacheBounds = { entries: 500, units: 16_777_216 };

/** Makes an empty cache. A template that alone is larger than `units` is compiled each time. */
export function createTemplateCache(limits: CacheBounds = DEFAULT_LIMITS): TemplateCache {
  // Newest last. One text is hardly ever compiled in two ways, so the last way is kept.
  const entries = new Map<string, Entry>();
  let newest: Entry | undefined;
  let units = 0;
  const forget = (text: string): void => {
    units -= entries.get(text)?.compiled.units ?? 0;
    entries.delete(text);
  };
  const keep = (entry: Entry): void => {
    const { text } = entry.key;
    forget(text);
    entries.set(text, entry);
    units += entry.compiled.units;
    newest = entry;
    for (const oldest of entries.keys()) {
      if (entries.size <= limits.entries && units <= limits.units) break;
      forget(oldest);
    }
  };
  return {
    get(key, compile) {
      // The same template again and again needs no reordering.
      if (newest !== undefined && isSame(newest.key, key)) return newest.compiled;
      const found = entries.get(key.text);
      const entry = found !== undefined && isSame(found.key, key) ? found : { key, compiled: compile() };
      if (entry.compiled.units <= limits.units) keep(entry);
      return entry.compiled;
    },
  };
}

function isSame(one: CacheKey, other: CacheKey): boolean {
  return one.variant === other.variant && one.registry === other.registry && one.text === other.text;
}
