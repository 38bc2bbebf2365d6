import { isAbsolute } from 'node:path';
import * as z from 'zod';
import type { ModelPrice } from '../core/provider.ts';
import { SkeinError } from '../core/errors.ts';
import type { Document } from './merge.ts';
import { parseSection, schemaVersion, section } from './section.ts';

/** Nano-USD per token for one USD per million tokens. */
const NANO_PER_TOKEN = 1000;

/** USD per million tokens in the file, whole nano-USD per token inside, rounded up so that no cost is understated. */
const pricePerToken = z
  .number()
  .min(0)
  .max(1_000_000)
  .transform((usd) => Math.ceil(Number((usd * NANO_PER_TOKEN).toPrecision(12))));

const price: z.ZodType<ModelPrice> = section({
  input: pricePerToken,
  output: pricePerToken,
  cache_read: pricePerToken,
  cache_write: pricePerToken,
});

const variableName = z.string().regex(/^[A-Za-z_]\w*$/, 'the name of an environment variable');

const provider = section({
  kind: z.enum(['anthropic', 'openai', 'scripted']),
  /** Name of the environment variable that holds the key; the key itself is never in a file. */
  api_key_env: variableName.optional(),
  /** File that holds the key, in place of the variable; in a config file relative to that file. */
  api_key_file: z.string().refine(isAbsolute, 'an absolute path').optional(),
  base_url: z.url({ protocol: /^https?$/ }).optional(),
  /** Most tokens a call may produce when the model's entry does not say. */
  max_output_tokens: z.int().min(1),
});

const trust = z.enum(['strict', 'warn', 'off']);

/** What the user lets tools do; a project may not add to it (`checkProjectAgent`). */
const tools = section({
  /** Names of environment variables that every tool may see. */
  env: z.array(variableName).readonly(),
  /** Ranges of private addresses that `rye/core/primitives/http_client` may reach. */
  allow_private: z.array(z.union([z.cidrv4(), z.cidrv6()], 'a range of addresses such as 10.0.0.0/8')).readonly(),
});

const agentSchema = section({
  schema_version: schemaVersion,
  providers: z.record(z.string().min(1), provider).readonly(),
  tiers: z.record(z.string().min(1), section({ provider: z.string(), model: z.string().min(1) })).readonly(),
  models: z
    .record(
      z.string().min(1),
      section({
        provider: z.string(),
        /** Tokens of input and output together. */
        context_window: z.int().min(1),
        max_output_tokens: z.int().min(1).optional(),
        /** USD per million tokens. */
        price: price.optional(),
      }),
    )
    .readonly(),
  /** What to do with a call whose price is not in `models`: refuse it, or count it as zero and warn. */
  unknown_price: z.enum(['refuse', 'zero']),
  /** What to do with unsigned items of a space. A wrong signature is refused in any case. */
  trust: section({ project: trust, user: trust, system: trust }),
  tools,
  /** The environment variables that directives may put into their prompts with `{env:NAME}`. */
  input_env: z.array(variableName).readonly(),
});

/** `agent.yaml`: providers, model tiers, prices. Prices are nano-USD per token here. */
export type AgentConfig = z.output<typeof agentSchema>;

/** Parses `agent.yaml`; every provider that a tier or model names must be there, and the tier `general`. */
export function parseAgent(document: Document, file: string): AgentConfig {
  const agent = parseSection(agentSchema, document, file);
  for (const group of ['tiers', 'models'] as const) {
    for (const [name, entry] of Object.entries(agent[group])) {
      if (Object.hasOwn(agent.providers, entry.provider)) continue;
      const known = Object.keys(agent.providers).join(', ');
      throw refusal(`unknown provider "${entry.provider}"; known: ${known}`, file, `${group}.${name}.provider`);
    }
  }
  if (!Object.hasOwn(agent.tiers, 'general')) {
    throw refusal('the tier "general" is needed: it serves directives that name no model', file, 'tiers');
  }
  return agent;
}

function refusal(message: string, file: string, path: string): SkeinError {
  return new SkeinError('invalid_config', message, { where: { file, path } });
}
