import * as z from 'zod';
import type { Document } from './merge.ts';
import { parseSection, schemaVersion, section } from './section.ts';

const tokens = z.number().int().min(0);

const provider = section({
  /** No API takes more. */
  breakpoints: z.number().int().min(0).max(4),
  minimum_tokens: tokens,
  models: z.record(z.string().min(1), tokens).readonly().default({}),
});

const kinds = z.enum(['anthropic', 'openai', 'gemini', 'scripted']);

const cacheLimitsSchema = section({
  schema_version: schemaVersion,
  providers: z.partialRecord(kinds, provider).readonly(),
});

/** `cache_limits.yaml`: what the caches of providers take, by the kind of provider. */
export type CacheLimitsConfig = Omit<z.output<typeof cacheLimitsSchema>, 'schemaVersion'>;

/** Parses `cache_limits.yaml`. @throws SkeinError `invalid_config` */
export function parseCacheLimits(document: Document, file: string): CacheLimitsConfig {
  const { providers } = parseSection(cacheLimitsSchema, document, file);
  return { providers };
}

/** A model by the kind of its provider and the provider's name of it. */
export type CachedModel = { readonly kind: z.output<typeof kinds>; readonly model: string };

/** How many marks a request to a model may have, and from how many tokens on its beginning is cached. */
export function cacheLimitsOf(
  { providers }: CacheLimitsConfig,
  { kind, model }: CachedModel,
): { readonly breakpoints: number; readonly minimumTokens: number } {
  const limits = providers[kind];
  if (!limits) return { breakpoints: 0, minimumTokens: 0 };
  const own = Object.entries(limits.models)
    .filter(([beginning]) => model.startsWith(beginning))
    .toSorted(([one], [other]) => other.length - one.length);
  return { breakpoints: limits.breakpoints, minimumTokens: own[0]?.[1] ?? limits.minimumTokens };
}
