import * as z from 'zod';
import { mergeConfig, type Document } from '../config/merge.ts';
import { parseSection, variableName } from '../config/section.ts';
import { SkeinError, toFailure } from '../core/errors.ts';
import type { ToolItem } from '../core/item.ts';
import { isRecord, own } from '../core/record.ts';
import type { Chain } from './execution-chain.ts';

/** The parts of a YAML link that say how it runs; the rest of the file is its contract. */
const PARTS = ['config', 'env_config'] as const;

/** Names of environment variables, as a list in `config.env`. */
export const envNames: z.ZodType<readonly string[]> = z.array(variableName).max(100);

/** A number of seconds: more than nothing, at most a day. */
export const seconds: z.ZodType<number> = z.number().gt(0).max(86_400);

/** Bytes of a result: what is read of it is read in the worker, where other threads wait meanwhile. */
export const resultBytes: z.ZodType<number> = z
  .int()
  .min(1)
  .max(2 * 1024 * 1024);

/**
 * Merges `config` and `env_config` over a chain, the tool's over its runtime's over the primitive's, and parses the result.
 * A tool's `timeout_seconds` among its contract fields wins over the one in its `config`. Lists are replaced, maps merged.
 *
 * @throws SkeinError `invalid_item` naming the file that brought in what is wrong, and the path in it.
 */
export function parseChainConfig<Output>({ links }: Chain, schema: z.ZodType<Output>): Output {
  const merged = links.map((link) => partsOf(link)).reduceRight((below, above) => mergeConfig(below, above), {});
  try {
    return parseSection(schema, merged, links[0].file);
  } catch (cause) {
    const { message, where, detail } = toFailure(cause);
    const [first = ''] = issuesOf(schema, merged);
    const { file } = links.find((link) => issuesOf(schema, partsOf(link)).includes(first)) ?? links[0];
    throw new SkeinError('invalid_item', message, { cause, where: { ...where, file }, detail });
  }
}

/** What one link of a chain says in its `config` under a key; undefined when it says nothing. */
export function said(link: ToolItem, key: string): unknown {
  const config = own(link.config, 'config');
  return isRecord(config) ? own(config, key) : undefined;
}

function partsOf(link: ToolItem): Document {
  const parts = Object.fromEntries(PARTS.flatMap((name) => part(link, name)));
  if (link.timeoutSeconds === undefined) return parts;
  return { ...parts, config: { ...parts['config'], timeout_seconds: link.timeoutSeconds } };
}

function part(link: ToolItem, name: (typeof PARTS)[number]): [[string, Document]] | [] {
  const value = own(link.config, name);
  if (value === undefined) return [];
  if (isRecord(value)) return [[name, value]];
  throw new SkeinError('invalid_item', 'must be a map of settings', { where: { file: link.file, path: name } });
}

function issuesOf(schema: z.ZodType, value: unknown): readonly string[] {
  return schema.safeParse(value).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
}
